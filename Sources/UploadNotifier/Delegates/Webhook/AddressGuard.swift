import NIOPosix
import Uploads

/// Keeps webhooks away from private networks: it resolves a host's name, checks every address, and the request goes to the checked address, so
/// that a second look-up cannot lead elsewhere.
struct AddressGuard: Sendable {
    let allowed: [NetworkRange]
    /// Resolves a host to all its addresses; tests replace the system's resolver.
    var resolve: @Sendable (_ host: String) throws -> [NetworkAddress] = { try SystemResolver.addresses(of: $0) }

    /// The networks that are not public: the IANA registries of special-purpose addresses (RFC 6890 and its successors), and multicast. They
    /// include the metadata and credential services of clouds: 169.254.169.254 is link-local, fd00:ec2::254 unique local. `::/8` covers ways to
    /// embed IPv4 that ``NetworkAddress/embedded`` does not read.
    static let refusedTexts = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "::/8", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7",
        "fe80::/10", "fec0::/10", "ff00::/8",
    ]
    static let refused = refusedTexts.compactMap { try? NetworkRange($0) }

    func permits(_ address: NetworkAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if let inner = address.embedded { return permits(inner) }
        return !Self.refused.contains { $0.contains(address) }
    }

    /// Why a webhook may not go to a host that is a literal address, or a name of this host; nil for other names, which are resolved for each
    /// delivery. Resolves nothing itself.
    func problem(ofHost host: String) -> String? {
        let isLocal = host == "localhost" || host.hasSuffix(".localhost")
        let named = isLocal ? ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) } : SystemResolver.literal(host)
        guard !named.isEmpty, !named.contains(where: permits) else { return nil }
        return """
            '\(host)' is not a public address; if that is meant, name its network in notifier.allowNetworks of the \
            notifier's configuration
            """
    }

    /// The addresses of a host: at least one, each permitted.
    /// - Throws: `misconfigured` when any address of the host is refused, `networkFailure` when it has none.
    func addresses(of host: String) async throws(UploadError) -> [NetworkAddress] {
        let resolve = self.resolve
        let addresses: [NetworkAddress]
        do {
            addresses = try await NIOThreadPool.singleton.runIfActive { try resolve(host) }
        } catch {
            throw error as? UploadError ?? UploadError(.networkFailure, "cannot resolve '\(host)'", cause: error)
        }
        if let bad = addresses.first(where: { !permits($0) }) {
            throw UploadError(
                .misconfigured,
                """
                '\(host)' leads to \(bad), which is not a public address; if that is meant, name its network in \
                notifier.allowNetworks
                """)
        }
        guard !addresses.isEmpty else { throw UploadError(.networkFailure, "'\(host)' has no address") }
        return addresses
    }
}

public import Uploads

/// A range of IP addresses in CIDR notation (RFC 4632, RFC 4291): `10.1.0.0/16`, `fd00::/8`; an address alone is a
/// range of one.
public struct NetworkRange: Hashable, Sendable, CustomStringConvertible {
    let address: NetworkAddress
    let prefixBits: Int

    /// - Throws: `misconfigured` with what was expected.
    public init(_ text: String) throws(UploadError) {
        let fields = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(String(fields[0])) else { throw Self.refuse(text) }
        var bits = address.bytes.count * 8
        if fields.count == 2 {
            guard let given = Int(fields[1]), (0...bits).contains(given) else { throw Self.refuse(text) }
            bits = given
        }
        self.init(address: address, prefixBits: bits)
    }

    init(address: NetworkAddress, prefixBits: Int) {
        self.address = address
        self.prefixBits = prefixBits
    }

    func contains(_ other: NetworkAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        for (index, (left, right)) in zip(address.bytes, other.bytes).enumerated() {
            let bits = min(8, prefixBits - index * 8)
            guard bits > 0 else { return true }
            if (left ^ right) >> (8 - UInt8(bits)) != 0 { return false }
        }
        return true
    }

    public var description: String { "\(address)/\(prefixBits)" }

    private static func refuse(_ text: String) -> UploadError {
        UploadError(.misconfigured, "'\(text)' is no network; write it like 10.1.0.0/16 or fd00::/8")
    }
}

import Glibc
import Uploads

/// getaddrinfo(3), which blocks.
enum SystemResolver {
    /// Also understands the other notations that the system takes for an address, such as `0x7f.1`.
    static func addresses(of host: String) throws -> [NetworkAddress] { try addresses(of: host, flags: 0) }

    /// The address that a text spells, without asking a name server; empty for a name.
    static func literal(_ host: String) -> [NetworkAddress] {
        (try? addresses(of: host, flags: AI_NUMERICHOST)) ?? []
    }

    private static func addresses(of host: String, flags: Int32) throws -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            let why = String(cString: gai_strerror(status))
            throw UploadError(.networkFailure, "cannot resolve '\(host)' (\(why)); check the name and the resolver")
        }
        defer { freeaddrinfo(list) }
        var addresses: [NetworkAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if info.ai_family == AF_INET {
                info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin_addr) { addresses.append(NetworkAddress(bytes: Array($0))) }
                }
            } else if info.ai_family == AF_INET6 {
                info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) {
                        addresses.append(NetworkAddress(bytes: Array($0)))
                    }
                }
            }
            entry = info.ai_next
        }
        return addresses
    }
}

import Glibc

/// An IP address: 4 or 16 bytes.
struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// nil unless the text is a plain IPv4 or IPv6 address.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = bytes.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(INET6_ADDRSTRLEN)) }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The IPv4 address inside an IPv6 address: mapped, compatible, NAT64, 6to4; nil: none.
    var embedded: NetworkAddress? {
        guard bytes.count == 16 else { return nil }
        let isZero = bytes[..<10].allSatisfy { $0 == 0 }
        if isZero, bytes[10...11] == [0xFF, 0xFF] || (bytes[10...11] == [0, 0] && bytes[12...13] != [0, 0]) {
            return NetworkAddress(bytes: Array(bytes[12...]))
        }
        if bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
            return NetworkAddress(bytes: Array(bytes[12...]))
        }
        if bytes[..<2] == [0x20, 0x02] { return NetworkAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }
}

/// Percent-encoding for S3 and Signature Version 4: RFC 3986, section 2.3, with upper-case hexadecimal; a space is `%20`.
///
/// Signed texts are sent in exactly the same form, so that no program on the way has to encode them again.
enum S3Encoding {
    /// An object's key as the path of a URL, without a slash at the beginning. Slashes are kept, even several in a row: S3 does not
    /// normalise paths.
    static func path(_ key: String) -> String { encode(key, keepsSlash: true) }

    /// One name or value of a query.
    static func component(_ text: String) -> String { encode(text, keepsSlash: false) }

    /// A query as it is signed and sent: sorted by encoded name, then value; a parameter without a value keeps its `=`.
    static func query(_ parameters: [SignableRequest.Parameter]) -> String {
        parameters
            .map { (name: component($0.name), value: component($0.value ?? "")) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    /// Decodes `%XX`; nil when a `%` is not followed by hexadecimal digits, or the bytes are not UTF-8. A `+` stays a `+`.
    static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }

    private static func encode(_ text: String, keepsSlash: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepsSlash:
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

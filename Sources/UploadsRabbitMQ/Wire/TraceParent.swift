/// The W3C Trace Context header `traceparent` (Recommendation of 23 November 2021, section 3.2), in the form of version
/// 00.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    static let header = "traceparent"

    public let description: String

    /// - Returns: nil unless the text is `<version>-<trace id>-<parent id>-<flags>` in lower-case hexadecimal, with no id
    ///   all zero and a version other than `ff`.
    public init?(_ text: String) {
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 55, fields.map(\.utf8.count) == [2, 32, 16, 2] else { return nil }
        let isHexadecimal = fields.joined().utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard isHexadecimal, fields[0] != "ff", fields[1].contains(where: { $0 != "0" }),
            fields[2].contains(where: { $0 != "0" })
        else { return nil }
        description = text
    }
}

/// The place of a message in a trace: the value of the header `traceparent` (W3C Trace Context, Recommendation of 23 November 2021,
/// section 3.2), in the form of version 00. Events carry it as the attribute of that name (CloudEvents, distributed tracing extension).
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    /// The name of the header, of messages and of HTTP requests.
    public static let header = "traceparent"

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

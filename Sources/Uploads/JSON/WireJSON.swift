public import Foundation

/// The one way in which values become JSON on the wire and in the ledger: RFC 3339 times in UTC with milliseconds,
/// base64 data, keys in a fixed order.
///
/// Why this folder has coders of its own: each job is decoded and encoded a dozen times on its way, and Foundation's coders
/// were the largest cost of that. Measured (<doc:Performance>, "What was tried"): decoding an event took 933,000 instructions
/// (300 µs) with Foundation and takes 176,000 here, encoding one 393,000 and 78,000. Foundation's decoder also takes seconds
/// for a few kilobytes that nest 500 deep, so ``JSONText`` bounds the depth first. The types keep their `Codable`
/// conformances. What the reader here refuses goes to Foundation's decoder, which also makes the error messages, and
/// `JSONTextTests` compares both byte by byte.
///
/// The coders become unnecessary once `JSONEncoder` and `JSONDecoder` come near these numbers
/// (`Tests/Performance/count-instructions`) and bound the depth: then ``encode(_:)`` and ``decode(_:from:)`` call them, and
/// everything else in this folder but ``JSONValue``, the bounds and the unknown fields can go.
public enum WireJSON {
    public static func encode(_ value: some Encodable) throws -> Data { Data(try JSONWriter.bytes(of: value)) }

    /// Whether the bytes are JSON (RFC 8259). Text that nests too deep to be read counts as JSON: its problem is its
    /// depth.
    public static func isJSON(_ data: Data) -> Bool {
        if (try? JSONText(data)) != nil || !JSONText.isShallow(data) { return true }
        return (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
    }

    /// - Throws: `DecodingError`, and what the value throws.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let text = try? JSONText(data), let value = try? JSONReader(text: text, index: 0).value(type) {
            return value
        }
        // Foundation's decoder takes seconds for a few kilobytes that nest 500 deep.
        guard JSONText.isShallow(data) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "it nests deeper than \(JSONText.depthMaximum) levels"))
        }
        // Foundation's decoder reads the JSON that the reader above refuses, and says what is wrong with everything
        // else.
        return try decodeByFoundation(type, from: data)
    }

    static func decodeByFoundation<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = date(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(text)' is not an RFC 3339 time such as 2026-11-21T08:00:00Z")
            }
            return date
        }
        return try decoder.decode(type, from: data)
    }

    /// `2026-11-21T08:00:00.000Z` (RFC 3339, section 5.6), to the nearest millisecond. A time before 1970 or beyond
    /// 9999, which readers refuse, is written as the nearest one that they accept.
    public static func timestamp(_ date: Date) -> String { WireTime.text(date) ?? WireTime.edge(beyond: date) }

    /// A time as a message carries it: the nearest one from 1970 to 9999.
    public static func carried(_ date: Date) -> Date { min(max(date, WireTime.first), WireTime.last) }

    /// The time that an RFC 3339 text names, with or without fractions of a second; nil before 1970 and beyond 9999, whose times
    /// cannot be written again.
    public static func date(_ text: String) -> Date? {
        if let date = WireTime.date(text) { return date }
        let date =
            (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
        return date.flatMap { WireTime.text($0) == nil ? nil : $0 }
    }
}

public import Foundation

/// The one way in which values become JSON on the wire and in the ledger: RFC 3339 times in UTC with milliseconds,
/// base64 data, keys in a fixed order.
public enum WireJSON {
    public static func encode(_ value: some Encodable) throws -> Data { try JSONWriter.data(of: value) }

    /// Whether the bytes are JSON (RFC 8259). What nests too deep to be read is taken for JSON: that is what is wrong with it.
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
        // Takes the rest that is JSON all the same, and says of everything else what is wrong with it.
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

    /// `2026-11-21T08:00:00.000Z` (RFC 3339, section 5.6), to the nearest millisecond. A time before 1970 or beyond 9999, which no reader
    /// takes, is written as the nearest one that readers do.
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

import Foundation

@testable import Uploads

/// Foundation's coders, with which ours are compared.
enum FoundationJSON {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(WireJSON.timestamp(date))
        }
        return try encoder.encode(value)
    }

    /// nil when it is refused.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
        try? WireJSON.decodeByFoundation(type, from: data)
    }
}

/// A coding key of any name, for fields that this version does not know and must hand on.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The fields of this object that `Known` does not name. A newer producer's fields survive an older worker.
    func unknownFields<Known: CodingKey>(besides known: Known.Type) throws -> [String: JSONValue] {
        if let reader = self as? JSONReader {
            return try reader.text.members(at: reader.index) { Known(stringValue: $0) == nil }
        }
        let container = try container(keyedBy: AnyCodingKey.self)
        var unknown: [String: JSONValue] = [:]
        for key in container.allKeys where Known(stringValue: key.stringValue) == nil {
            unknown[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return unknown
    }
}

extension Encoder {
    func encodeUnknownFields(_ unknown: [String: JSONValue]) throws {
        guard !unknown.isEmpty else { return }
        var container = container(keyedBy: AnyCodingKey.self)
        for (name, value) in unknown {
            try container.encode(value, forKey: AnyCodingKey(stringValue: name))
        }
    }
}

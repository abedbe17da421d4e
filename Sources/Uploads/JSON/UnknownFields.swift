/// A coding key of any name, for fields that this version does not know and must hand on.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The fields of this object that have none of these names. A newer producer's fields survive an older worker.
    /// - Throws: `DecodingError` when one of them nests deeper than ``WireLimits/depthMaximum``.
    func unknownFields(besides known: [String]) throws -> [String: JSONValue] {
        let unknown = try fields(besides: known)
        for (name, value) in unknown where !value.nests(atMost: WireLimits.depthMaximum) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath + [AnyCodingKey(stringValue: String(name.prefix(80)))],
                    debugDescription: "it nests deeper than \(WireLimits.depthMaximum) levels"))
        }
        return unknown
    }

    private func fields(besides known: [String]) throws -> [String: JSONValue] {
        if let reader = self as? JSONReader {
            if reader.text.hasOnly(known, of: reader.index) { return [:] }
            return try reader.text.members(at: reader.index) { !known.contains($0) }
        }
        let container = try container(keyedBy: AnyCodingKey.self)
        var unknown: [String: JSONValue] = [:]
        for key in container.allKeys where !known.contains(key.stringValue) {
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

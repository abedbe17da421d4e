import Foundation

/// Structured JSON mode of CloudEvents 1.0 (JSON event format, section 3).
extension UploadEvent: Codable {
    private enum Key: String, CodingKey {
        case specversion, id, source, type, subject, time, datacontenttype, data, traceparent
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let type = try container.decode(String.self, forKey: .type)
        guard let kind = EventKind(type: type) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container, debugDescription: "'\(type)' is not the type of an upload event")
        }
        self.init(
            id: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .id), kind: kind,
            time: try container.decode(Date.self, forKey: .time),
            data: try container.decode(EventData.self, forKey: .data),
            // Another value is ignored, as it is in a header.
            trace: (try? container.decodeIfPresent(String.self, forKey: .traceparent))?.flatMap(TraceParent.init))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // In the order in which they are written.
        try container.encode(data, forKey: .data)
        try container.encode("application/json", forKey: .datacontenttype)
        try container.encode(id, forKey: .id)
        try container.encode(source, forKey: .source)
        try container.encode("1.0", forKey: .specversion)
        try container.encode(job.id, forKey: .subject)
        try container.encode(time, forKey: .time)
        try container.encodeIfPresent(trace?.description, forKey: .traceparent)
        try container.encode(kind.type, forKey: .type)
    }
}

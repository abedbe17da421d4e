import SwiftProtobuf
import Tracing

// The messages of OTLP from the values of this target.

extension OTLP.KeyValue {
    init(_ key: String, _ value: OTLP.AnyValue) {
        self.init()
        self.key = key
        self.value = value
    }

    init(_ key: String, _ text: String) { self.init(key, OTLP.AnyValue(text)) }
}

extension OTLP.AnyValue {
    init(_ text: String) {
        self.init()
        stringValue = text
    }

    /// - Parameter textMaximum: characters of a text at most; nil: any number.
    init(_ attribute: SpanAttribute, textMaximum: Int?) {
        func short(_ text: String) -> String { textMaximum.map { String(text.prefix($0)) } ?? text }
        func array(_ values: [OTLP.AnyValue]) -> OTLP.ArrayValue { .with { $0.values = values } }
        self.init()
        switch attribute {
        case .int32(let value): intValue = Int64(value)
        case .int64(let value): intValue = value
        case .double(let value): doubleValue = value
        case .bool(let value): boolValue = value
        case .string(let value): stringValue = short(value)
        case .stringConvertible(let value): stringValue = short("\(value)")
        case .int32Array(let values): arrayValue = array(values.map { value in .with { $0.intValue = Int64(value) } })
        case .int64Array(let values): arrayValue = array(values.map { value in .with { $0.intValue = value } })
        case .doubleArray(let values): arrayValue = array(values.map { value in .with { $0.doubleValue = value } })
        case .boolArray(let values): arrayValue = array(values.map { value in .with { $0.boolValue = value } })
        case .stringArray(let values): arrayValue = array(values.map { OTLP.AnyValue(short($0)) })
        case .stringConvertibleArray(let values): arrayValue = array(values.map { OTLP.AnyValue(short("\($0)")) })
        default: break
        }
    }
}

extension OTLP.Span {
    init(_ record: RecordedSpan.Record, _ settings: TelemetrySettings) {
        self.init()
        traceID = record.place.trace.bytes
        spanID = record.place.span.bytes
        // The sampled flag, and whether the parent is of another program.
        flags = 0x1 | 0x100
        if let parent = record.parent {
            parentSpanID = parent.span.bytes
            if parent.isRemote { flags |= 0x200 }
        }
        name = record.name
        kind =
            switch record.kind {
            case .server: .server
            case .client: .client
            case .producer: .producer
            case .consumer: .consumer
            case .internal: .internal
            }
        startTimeUnixNano = record.beganAt
        endTimeUnixNano = record.endedAt
        (attributes, droppedAttributesCount) = Self.limited(record.attributes, settings)
        events = record.events.map { event in
            .with {
                $0.timeUnixNano = event.nanosecondsSinceEpoch
                $0.name = event.name
                ($0.attributes, $0.droppedAttributesCount) = Self.limited(event.attributes, settings)
            }
        }
        droppedEventsCount = UInt32(clamping: record.droppedEvents)
        links = record.links.compactMap { link in
            guard let place = link.context[CurrentSpan.self] else { return nil }
            return .with {
                $0.traceID = place.trace.bytes
                $0.spanID = place.span.bytes
                $0.flags = (place.isSampled ? 0x1 : 0) | 0x100 | (place.isRemote ? 0x200 : 0)
                ($0.attributes, $0.droppedAttributesCount) = Self.limited(link.attributes, settings)
            }
        }
        droppedLinksCount = UInt32(clamping: record.droppedLinks)
        if let status = record.status {
            self.status = .with {
                $0.code = status.code == .ok ? .ok : .error
                // Only an error has a description.
                if status.code == .error { $0.message = status.message ?? "" }
            }
        }
    }

    private static func limited(
        _ attributes: SpanAttributes, _ settings: TelemetrySettings
    ) -> ([OTLP.KeyValue], UInt32) {
        var all: [OTLP.KeyValue] = []
        attributes.forEach { key, value in
            all.append(OTLP.KeyValue(key, OTLP.AnyValue(value, textMaximum: settings.textMaximum)))
        }
        all.sort { $0.key < $1.key }
        return (Array(all.prefix(settings.attributesMaximum)), UInt32(max(0, all.count - settings.attributesMaximum)))
    }
}

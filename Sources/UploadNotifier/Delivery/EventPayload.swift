import Foundation
import Uploads

/// An event in the form that a delegate gets: a CloudEvent whose `data` is the event's own or the result of the field mapping.
struct EventPayload: Sendable {
    /// CloudEvents JSON event format, section 3.
    static let structuredType = "application/cloudevents+json; charset=utf-8"

    private let event: UploadEvent
    private let value: JSONValue?

    init(_ event: UploadEvent, mapping: FieldMapping? = nil) throws(UploadError) {
        self.event = event
        guard let mapping else {
            value = nil
            return
        }
        do {
            let whole = try WireJSON.decode(JSONValue.self, from: try WireJSON.encode(event))
            guard case .object(var fields) = whole else {
                throw UploadError(.unknown, "event \(event.id) is no JSON object")
            }
            fields["data"] = mapping(whole)
            value = .object(fields)
        } catch {
            throw Self.failure(event, error)
        }
    }

    /// The whole CloudEvent in structured JSON mode.
    func structured() throws(UploadError) -> Data {
        do { return try value.map { try WireJSON.encode($0) } ?? WireJSON.encode(event) } catch {
            throw Self.failure(event, error)
        }
    }

    /// The data alone, whose attributes go into headers.
    func data() throws(UploadError) -> Data {
        do { return try value.map { try WireJSON.encode($0["data"] ?? [:]) } ?? WireJSON.encode(event.data) } catch {
            throw Self.failure(event, error)
        }
    }

    /// The attributes for binary mode as header names and values (CloudEvents HTTP binding, section 3.1.3). Longshore's ids and names
    /// are plain ASCII, so there is nothing to percent-encode.
    var attributes: [(name: String, value: String)] {
        var attributes = [
            ("ce-specversion", "1.0"), ("ce-id", event.id), ("ce-source", event.source), ("ce-type", event.kind.type),
            ("ce-subject", event.job.id.rawValue), ("ce-time", WireJSON.timestamp(event.time)),
        ]
        if let trace = event.trace { attributes.append(("ce-traceparent", trace.description)) }
        return attributes
    }

    private static func failure(_ event: UploadEvent, _ cause: any Error) -> UploadError {
        UploadError(.unknown, "event \(event.id) cannot be written as JSON", cause: cause)
    }
}

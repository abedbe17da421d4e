import Foundation
public import Uploads

extension ObjectMapper {
    /// Reads an event as a type of yours: the type that its CloudEvents type (`upload.completed` and so on) is mapped
    /// to, read from the event's JSON as delegates get it. nil unless that CloudEvents type is mapped.
    ///
    /// This is the only way from Longshore's own messages to a mapping. The event itself is not changed.
    ///
    /// - Throws: `invalidResponse` when the event does not fit the mapped type; the message names the field.
    public func object(from event: UploadEvent) throws(UploadError) -> Any? {
        try object(from: json(of: event))
    }

    /// The same for one expected Swift type, mapped or not: an unmapped type reads the event's fields under their own
    /// names.
    public func object<Value: Decodable>(
        _ type: Value.Type, from event: UploadEvent
    ) throws(UploadError) -> Value {
        try object(type, from: json(of: event))
    }

    private func json(of event: UploadEvent) throws(UploadError) -> JSONValue {
        do {
            return try WireJSON.decode(JSONValue.self, from: WireJSON.encode(event))
        } catch {
            throw .cannotBeWritten(UploadEvent.self, error)
        }
    }
}

import Foundation
public import Uploads

extension ObjectMapper {
    /// An event as a type of yours: what its CloudEvents type (`upload.completed` and so on) is mapped to, read from the event as delegates
    /// get it in JSON. nil unless that type is mapped.
    ///
    /// This is the only way from Longshore's own messages to a mapping. The event itself is not touched.
    ///
    /// - Throws: `invalidResponse` when the event does not fit the mapped type; the message names the field.
    public func object(from event: UploadEvent) throws(UploadError) -> Any? {
        try object(from: json(of: event))
    }

    /// The same where one Swift type is expected, mapped or not: an unmapped one reads the event's fields under their own names.
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

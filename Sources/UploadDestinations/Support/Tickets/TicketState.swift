import Uploads

/// What another worker needs once the bytes are there. Before that there is no state: the URL is a credential and travels in no message,
/// so the next worker asks for another one.
struct TicketState: Hashable, Sendable {
    /// The upload's id at the server that gave the ticket.
    var id: String?
    /// The URL to which the bytes were put, without the query.
    var place: String
    /// The store's ETag for them.
    var etag: String?

    init(id: String?, place: String, etag: String?) {
        self.id = id
        self.place = place
        self.etag = etag
    }

    /// - Throws: `sessionExpired` for a payload that a driver of tickets cannot have written.
    init(_ state: UploadState, of driver: String) throws(UploadError) {
        guard state.driver == driver, state.payload["sent"] == .bool(true), let place = state.payload["place"]?.string
        else {
            throw UploadError(.sessionExpired, "the state of the upload cannot be read: it is begun anew")
        }
        self.init(
            id: state.payload["id"]?.string, place: DestinationReference.redact(place),
            etag: state.payload["etag"]?.string)
    }

    func uploadState(of driver: String) -> UploadState {
        var payload: [String: JSONValue] = ["sent": true, "place": .string(place)]
        payload["id"] = id.map { .string($0) }
        payload["etag"] = etag.map { .string($0) }
        return UploadState(driver: driver, payload: .object(payload))
    }
}

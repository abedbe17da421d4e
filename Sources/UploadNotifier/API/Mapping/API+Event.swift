import Uploads
import UploadsAPI

extension API.Event {
    /// - Parameter sequence: the event's place in the ledger; nil where the reader does not need it.
    init(_ event: UploadEvent, sequence: Int64?) {
        let baton = event.data.baton
        self.init(
            sequence: sequence, id: event.id, type: event.kind.type, time: event.time, job: event.job.id.rawValue,
            queue: event.job.queue.rawValue, destination: event.job.destination.label,
            target: event.job.destination.displayText, size: event.job.size, round: baton.round,
            generation: baton.generation, slice: baton.slice, attempts: baton.attempts, bytesSent: baton.bytesSent,
            waitingUntil: event.data.waitingUntil, reason: event.data.reason,
            error: event.data.error.map { API.Error($0) }, object: event.data.object.map { API.Object($0) })
    }
}

extension API.Object {
    init(_ object: StoredObject) {
        self.init(
            location: DestinationReference.redact(object.location), etag: object.etag, version: object.version,
            size: object.size, isOvertaken: object.isOvertaken, isKept: object.isKept,
            isServerSideCopy: object.isServerSideCopy, verified: object.verified?.rawValue)
    }
}

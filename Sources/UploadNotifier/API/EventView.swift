import Foundation
import Uploads

/// An event as the API shows it: without the state of the session, which may be a credential.
struct EventView: Encodable, Sendable {
    struct Object: Encodable, Sendable {
        var location: String
        var etag: String?
        var version: String?
        var size: Int64?
        var isOvertaken: Bool
        var isKept: Bool
        var verified: StoredObject.Proof?

        init(_ object: StoredObject) {
            location = DestinationReference.redact(object.location)
            etag = object.etag
            version = object.version
            size = object.size
            isOvertaken = object.isOvertaken
            isKept = object.isKept
            verified = object.verified
        }
    }

    /// Its place in the ledger, where it is part of what was recorded.
    var sequence: Int64?
    var id: String
    var type: String
    var time: Date
    var job: JobID
    var queue: QueueName
    var destination: String
    var target: String
    var size: Int64
    var round: Int
    var generation: Int
    var slice: Int
    var attempts: Int
    var bytesSent: Int64
    var waitingUntil: Date?
    var reason: String?
    var error: ErrorView?
    var object: Object?

    init(_ event: UploadEvent, sequence: Int64?) {
        let baton = event.data.baton
        self.sequence = sequence
        id = event.id
        type = event.kind.type
        time = event.time
        job = event.job.id
        queue = event.job.queue
        destination = event.job.destination.label
        target = event.job.destination.displayText
        size = event.job.size
        round = baton.round
        generation = baton.generation
        slice = baton.slice
        attempts = baton.attempts
        bytesSent = baton.bytesSent
        waitingUntil = event.data.waitingUntil
        reason = event.data.reason
        error = event.data.error.map { ErrorView($0) }
        object = event.data.object.map { Object($0) }
    }
}

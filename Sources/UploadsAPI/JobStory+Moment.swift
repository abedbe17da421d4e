public import Foundation

extension API.JobStory {
    /// Something that happened to the job, as a sentence without a full stop.
    public struct Moment: Hashable, Sendable {
        public var at: Date
        public var text: String
    }

    /// What happened to the job, in the order of time.
    /// - Parameter text: writes a time within a sentence.
    public func moments(_ text: (Date) -> String) -> [Moment] {
        let told = Set(job.failures.map(\.message))
        let isEnqueuedTold = events.contains { $0.kind == "enqueued" }
        let start = isEnqueuedTold ? [] : [Moment(at: job.enqueuedAt, text: "enqueued")]
        let all =
            start
            + job.failures.map {
                Moment(at: $0.at, text: "attempt \($0.attempt) failed\(API.Error.why($0.message, $0.code))")
            }
            + events.map { event in
                let error = event.error.flatMap { told.contains($0.message) ? nil : $0 }
                return Moment(at: event.time, text: event.sentence(text, error: error))
            } + orders.map { Moment(at: $0.at, text: "\($0.by) ordered: \($0.verb)") }
            + deliveries.map { Moment(at: $0.deliveredAt ?? $0.createdAt, text: $0.sentence(text)) }
        return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}

extension API.Error {
    /// The message and the code; of a job that was forgotten only the code is left.
    fileprivate static func why(_ message: String, _ code: String) -> String {
        message.isEmpty ? " (\(code))" : ": \(message) (\(code))"
    }
}

extension API.Delivery {
    fileprivate func sentence(_ text: (Date) -> String) -> String {
        let tries = attempts == 1 ? "1 failed attempt" : "\(attempts) failed attempts"
        let why = error.map { ": \($0)" } ?? ""
        return switch status {
        case "delivered": "delegate \(delegate) took the outcome" + (attempts > 0 ? " after \(tries)" : "")
        case "failed": "the delivery to delegate \(delegate) was given up after \(tries)\(why)"
        default:
            "the outcome waits for delegate \(delegate)"
                + (attempts > 0 ? ", \(tries)\(why)" : "") + (dueAt.map { "; next at \(text($0))" } ?? "")
        }
    }
}

extension API.Event {
    /// The type without its common prefix, such as `completed`.
    public var kind: String { type.hasPrefix("upload.") ? String(type.dropFirst("upload.".count)) : type }

    fileprivate func sentence(_ text: (Date) -> String, error: API.Error?) -> String {
        let why = error.map { API.Error.why($0.message, $0.code) } ?? ""
        let again = round > 1 ? " (round \(round))" : ""
        return switch kind {
        case "waiting":
            (reason == "cancelling" ? "is being cancelled" : "waits (\(reason ?? "retry"))")
                + (waitingUntil.map { " until \(text($0))" } ?? "") + why
        case "handedOver": "handed over"
        case "suspect": "its worker may be gone; the notifier hands it out anew"
        case "completed": "completed" + (detail.map { ": \($0)" } ?? "")
        default: kind + again + why
        }
    }

    /// What became of the object, and what proves it; nil for an event without an object.
    public var detail: String? {
        guard let object else { return nil }
        if object.isKept { return "\(object.location) was there already" }
        if object.isOvertaken { return "\(object.location), which a newer job has written" }
        let proof: String? =
            switch object.verified {
            case "readBack": "read back and compared"
            case "checksum": "its checksum agrees"
            case "etag": "its ETag is the MD5 of what was sent"
            default: nil
            }
        let notes = [object.isServerSideCopy ? "copied on the server" : nil, proof].compactMap(\.self)
        return object.location + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }
}

import Foundation
import Uploads
import UploadsAPI

extension API.JobStory {
    /// The job and its events in time order, for people.
    /// - Parameter width: of the terminal; nil breaks no lines.
    func lines(_ time: LocalTime, width: Int?) -> [String] {
        var lines = ["\(job.id)  \(job.status) since \(time.text(job.since))", ""]
        for (name, value) in facts(time) { lines += PlainText.hanging(name, value, column: 12, width: width) }
        lines +=
            [""] + PlainText.hanging("why", PlainText.safe(time.localized(explanation.text)), column: 12, width: width)
            + [""]
        var day = ""
        for entry in entries(time).enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) })
        {
            let moment = entry.element
            if time.day(moment.at) != day {
                day = time.day(moment.at)
                lines.append(day)
            }
            lines += PlainText.hanging(time.clock(moment.at), PlainText.safe(moment.text), column: 12, width: width)
        }
        return lines
    }

    private func facts(_ time: LocalTime) -> [(name: String, value: String)] {
        let seconds = Int(saturating: job.activeSeconds)
        let sent = job.bytesSent > 0 ? "\(Quantity.text(bytes: job.bytesSent)) in \(seconds) s" : nil
        let advance = job.progress.map { progress in
            let gauge = progress.gauge(of: job.size)
            return "\(Quantity.text(bytes: progress.bytesDone)) (\(gauge.percent.drop { $0 == " " })), \(gauge.rate), "
                + "ETA \(gauge.timeLeft)"
        }
        let attempts = job.attemptsMaximum.map { "\(job.attempts) of \($0) failed" } ?? "\(job.attempts) failed"
        let metadata = job.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        let all: [(String, String?)] = [
            ("from", "\(job.source) (\(Quantity.text(bytes: job.size)), \(job.contentType))"), ("to", job.target),
            ("queue", "\(job.queue), \(job.priority)"), ("batch", job.batch), ("key", job.idempotencyKey),
            ("metadata", metadata.isEmpty ? nil : metadata), ("crc64nvme", job.crc64nvme), ("sha256", job.sha256),
            ("enqueued", time.text(job.enqueuedAt)), ("not before", job.notBefore.map { time.text($0) }),
            ("expires", job.expiresAt.map { time.text($0) }), ("round", job.round > 1 ? String(job.round) : nil),
            ("attempts", job.attempts > 0 ? attempts : nil), ("sent", sent),
            ("so far", advance),
        ]
        return all.compactMap { name, value in value.map { (name, PlainText.safe($0)) } }
    }

    // MARK: Events

    /// The message and the code; of a job that was forgotten only the code is left.
    static func why(_ message: String, _ code: String) -> String {
        message.isEmpty ? " (\(code))" : ": \(message) (\(code))"
    }

    private struct Moment {
        var at: Date
        var text: String
    }

    private func entries(_ time: LocalTime) -> [Moment] {
        let told = Set(job.failures.map(\.message))
        let isEnqueuedTold = events.contains { $0.kind == "enqueued" }
        let start = isEnqueuedTold ? [] : [Moment(at: job.enqueuedAt, text: "enqueued")]
        return start
            + job.failures.map {
                Moment(at: $0.at, text: "attempt \($0.attempt) failed\(Self.why($0.message, $0.code))")
            }
            + events.map { event in
                let error = event.error.flatMap { told.contains($0.message) ? nil : $0 }
                return Moment(at: event.time, text: event.sentence(time, error: error))
            } + deliveries.map { Moment(at: $0.deliveredAt ?? $0.createdAt, text: $0.sentence(time)) }
    }
}

extension API.Delivery {
    fileprivate func sentence(_ time: LocalTime) -> String {
        let tries = attempts == 1 ? "1 failed attempt" : "\(attempts) failed attempts"
        let why = error.map { ": \($0)" } ?? ""
        return switch status {
        case "delivered": "delegate \(delegate) took the outcome" + (attempts > 0 ? " after \(tries)" : "")
        case "failed": "the delivery to delegate \(delegate) was given up after \(tries)\(why)"
        default:
            "the outcome waits for delegate \(delegate)"
                + (attempts > 0 ? ", \(tries)\(why)" : "") + (dueAt.map { "; next at \(time.text($0))" } ?? "")
        }
    }
}

extension API.Event {
    /// The type without its common prefix, such as `completed`.
    var kind: String { type.hasPrefix("upload.") ? String(type.dropFirst("upload.".count)) : type }

    fileprivate func sentence(_ time: LocalTime, error: API.Error?) -> String {
        let why = error.map { API.JobStory.why($0.message, $0.code) } ?? ""
        let again = round > 1 ? " (round \(round))" : ""
        return switch kind {
        case "waiting":
            (reason == WaitReason.cancelling.label ? "is being cancelled" : "waits (\(reason ?? "retry"))")
                + (waitingUntil.map { " until \(time.text($0))" } ?? "") + why
        case "handedOver": "handed over"
        case "suspect": "its worker may be gone; the notifier hands it out anew"
        case "completed": "completed" + (detail.map { ": \($0)" } ?? "")
        default: kind + again + why
        }
    }

    private var detail: String? {
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
        return object.location + (proof.map { " (\($0))" } ?? "")
    }

    /// For `watch`: `09:12:03  completed   ID  photos:cat.jpg  64.0 MiB`, at most `width` columns.
    func line(_ time: LocalTime, width: Int?) -> String {
        let why = error.map { "\($0.message) (\($0.code))" } ?? reason ?? detail ?? Quantity.text(bytes: size)
        let head = "\(time.clock(self.time))  \(kind.padding(toLength: 10, withPad: " ", startingAt: 0))  \(job)  "
        let line = head + PlainText.safe("\(target)  \(why)")
        return width.map { PlainText.cut(line, to: $0) } ?? line
    }
}

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
        for moment in moments({ time.text($0) }) {
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
}

extension API.Event {
    /// For `watch`: `09:12:03  completed   ID  photos:cat.jpg  64.0 MiB`, at most `width` columns.
    func line(_ time: LocalTime, width: Int?) -> String {
        let why = error.map { "\($0.message) (\($0.code))" } ?? reason ?? detail ?? Quantity.text(bytes: size)
        let head = "\(time.clock(self.time))  \(kind.padding(toLength: 10, withPad: " ", startingAt: 0))  \(job)  "
        let line = head + PlainText.safe("\(target)  \(why)")
        return width.map { PlainText.cut(line, to: $0) } ?? line
    }
}

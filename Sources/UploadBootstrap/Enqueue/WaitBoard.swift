import Foundation
import Uploads

/// What is known of the uploads that are waited for: a pure fold over their events.
struct WaitBoard {
    struct Entry: Hashable {
        let upload: PlannedUpload
        let id: JobID
        /// Bytes, as far as they are known.
        fileprivate(set) var size: Int64
        var bytesDone: Int64 = 0
        /// How it ended.
        var end: UploadEvent?
        /// The last trouble that was told, so that it is told once.
        fileprivate var trouble: String?
    }

    /// What is worth telling.
    enum News: Hashable {
        case ended(Entry, UploadEvent)
        case trouble(Entry, String)
    }

    private(set) var entries: [JobID: Entry] = [:]
    private(set) var bytesDone: Int64 = 0
    private(set) var bytesTotal: Int64 = 0
    private(set) var endedCount = 0
    private(set) var failedCount = 0

    var isDone: Bool { endedCount == entries.count }

    mutating func add(_ upload: PlannedUpload, id: JobID, size: Int64) {
        entries[id] = Entry(upload: upload, id: id, size: size)
        bytesTotal += size
    }

    /// Forgets one that was not published after all.
    mutating func remove(_ id: JobID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        bytesTotal -= entry.size
        bytesDone -= entry.bytesDone
        guard let end = entry.end else { return }
        endedCount -= 1
        if end.kind != .completed { failedCount -= 1 }
    }

    /// A worker's `completed` is believed; that a round failed or was cancelled is believed of the ledger alone, for a
    /// worker cannot know whether its baton still counts. Repeats change nothing.
    mutating func apply(_ event: UploadEvent) -> News? {
        guard var entry = entries[event.job.id], entry.end == nil else { return nil }
        defer { entries[event.job.id] = entry }
        if event.job.size > entry.size {
            // What lies at a destination has no size before a worker has looked.
            bytesTotal += event.job.size - entry.size
            entry.size = event.job.size
        }
        switch event.kind {
        case .completed: return end(&entry, event)
        case .failed, .cancelled:
            if event.id == event.asOutcome.id { return end(&entry, event) }
            return tell(&entry, "\(event.data.error?.message ?? event.kind.rawValue); waiting for the notifier's word")
        case .progress:
            advance(&entry, to: event.data.bytesDone ?? 0)
        case .waiting:
            if let error = event.data.error {
                let pause = event.data.waitingUntil.map { max(0, $0.timeIntervalSince(event.time)) }
                let until = pause.map { "; next attempt in \(Quantity.text(seconds: $0.rounded(.up)))" } ?? ""
                return tell(&entry, error.message, detail: until)
            }
            if let words = Self.words[event.data.reason ?? ""] { return tell(&entry, words) }
        case .paused: return tell(&entry, "paused until somebody resumes it")
        case .enqueued, .started, .handedOver, .suspect: break
        }
        return nil
    }

    private mutating func end(_ entry: inout Entry, _ event: UploadEvent) -> News {
        entry.end = event
        endedCount += 1
        if event.kind == .completed { advance(&entry, to: entry.size) } else { failedCount += 1 }
        return .ended(entry, event)
    }

    private mutating func advance(_ entry: inout Entry, to bytes: Int64) {
        let bytes = min(max(0, bytes), entry.size)
        bytesDone += bytes - entry.bytesDone
        entry.bytesDone = bytes
    }

    private func tell(_ entry: inout Entry, _ trouble: String, detail: String = "") -> News? {
        guard entry.trouble != trouble else { return nil }
        entry.trouble = trouble
        return .trouble(entry, trouble + detail)
    }

    private static let words = [
        WaitReason.unknownDestination.label:
            "no worker that took it knows its destination yet; check their configuration",
        WaitReason.unknownStagingArea.label: "no worker that took it serves its staging area yet; check --staging",
        WaitReason.unsupportedVersion.label: "the worker that took it is too old for it; update the worker",
        WaitReason.cancelling.label: "it is being cancelled",
        "circuitOpen": "its destination cannot be used; it is tried again by itself",
        "limited": "a limit of its destination or its worker holds it up; it comes by itself",
        "clock": "its time is over by its worker's clock, which no other clock has confirmed yet",
        "resting": "its destination asked for a pause, or holds a lock",
        "notYet": "its destination has it, and is not done with it yet",
    ]
}

import Foundation
import Uploads

/// What is known of the uploads that are waited for: a pure fold over their events.
struct AwaitedUploads {
    struct Entry: Hashable {
        /// Its place in the plan.
        let index: Int
        /// Bytes, as far as they are known.
        fileprivate(set) var size: Int64
        var bytesDone: Int64 = 0
    }

    /// What is worth telling.
    enum News: Hashable {
        case ended(Entry, UploadEvent)
        case trouble(Entry, String)
    }

    /// Those that have not ended, by the bits of their ids: about 80 bytes each. What has ended is forgotten.
    private var entries: [UUID: Entry] = [:]
    /// The last trouble that was told of each, so that it is told once.
    private var troubles: [UUID: String] = [:]
    private(set) var bytesDone: Int64 = 0
    private(set) var bytesTotal: Int64 = 0
    private(set) var endedCount = 0
    private(set) var failedCount = 0

    /// Those that have ended, and those that have not.
    var count: Int { endedCount + entries.count }

    var isDone: Bool { entries.isEmpty }

    /// Those that have not ended, in the order of the plan.
    var open: [Entry] { entries.values.sorted { $0.index < $1.index } }

    /// Another one to wait for, before it is published. One that is added twice counts once.
    mutating func add(_ id: JobID, at index: Int, size: Int64) {
        guard let key = UUID(uuidString: id.rawValue) else { return }
        let old = entries.updateValue(Entry(index: index, size: size), forKey: key)
        bytesTotal += size - (old?.size ?? 0)
    }

    /// Forgets one that was not published after all. One that has ended was, whatever the broker said.
    mutating func remove(_ id: JobID) {
        guard let key = UUID(uuidString: id.rawValue), let entry = entries.removeValue(forKey: key) else { return }
        troubles[key] = nil
        bytesTotal -= entry.size
        bytesDone -= entry.bytesDone
    }

    /// A worker's `completed` is believed; that a round failed or was cancelled is believed of the ledger alone, for a
    /// worker cannot know whether its baton still counts. Repeats change nothing.
    mutating func apply(_ event: UploadEvent) -> News? {
        guard let key = UUID(uuidString: event.job.id.rawValue), var entry = entries[key] else { return nil }
        defer { if entries[key] != nil { entries[key] = entry } }
        if event.job.size > entry.size {
            // What lies at a destination has no size before a worker has looked.
            bytesTotal += event.job.size - entry.size
            entry.size = event.job.size
        }
        switch event.kind {
        case .completed: return end(&entry, key, event)
        case .failed, .cancelled:
            if event.id == event.asOutcome.id { return end(&entry, key, event) }
            return tell(
                entry, key, "\(event.data.error?.message ?? event.kind.rawValue); waiting for the notifier's word")
        case .progress:
            advance(&entry, to: event.data.bytesDone ?? 0)
        case .waiting:
            if let error = event.data.error {
                let pause = event.data.waitingUntil.map { max(0, $0.timeIntervalSince(event.time)) }
                let until = pause.map { "; next attempt in \(Quantity.text(seconds: $0.rounded(.up)))" } ?? ""
                return tell(entry, key, error.message, detail: until)
            }
            if let words = Self.words[event.data.reason ?? ""] { return tell(entry, key, words) }
        case .paused: return tell(entry, key, "paused until somebody resumes it")
        case .enqueued, .started, .handedOver, .suspect: break
        }
        return nil
    }

    private mutating func end(_ entry: inout Entry, _ key: UUID, _ event: UploadEvent) -> News {
        entries[key] = nil
        troubles[key] = nil
        endedCount += 1
        if event.kind == .completed { advance(&entry, to: entry.size) } else { failedCount += 1 }
        return .ended(entry, event)
    }

    private mutating func advance(_ entry: inout Entry, to bytes: Int64) {
        let bytes = min(max(0, bytes), entry.size)
        bytesDone += bytes - entry.bytesDone
        entry.bytesDone = bytes
    }

    private mutating func tell(_ entry: Entry, _ key: UUID, _ trouble: String, detail: String = "") -> News? {
        guard troubles.updateValue(trouble, forKey: key) != trouble else { return nil }
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

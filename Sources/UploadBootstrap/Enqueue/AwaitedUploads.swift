import Foundation
import Uploads

/// The state of the uploads whose outcomes `enqueue-upload --wait` waits for: a pure fold over their events.
struct AwaitedUploads {
    struct Entry: Hashable {
        /// The upload's position in the plan.
        let index: Int
        /// The size in bytes; 0 until it is known.
        fileprivate(set) var size: Int64
        var bytesDone: Int64 = 0
    }

    /// A change that the display shows.
    enum News: Hashable {
        case ended(Entry, UploadEvent)
        case trouble(Entry, String)
    }

    /// The uploads that have not ended, by the bits of their ids: about 80 bytes each. An ended upload is removed.
    private var entries: [UUID: Entry] = [:]
    /// An upload that a worker carries at present.
    struct Running: Hashable {
        let entry: Entry
        /// nil where no worker has reported it lately.
        var bytesPerSecond: Double?
    }

    private struct Pace {
        /// Grows with each upload that begins to run.
        var number: Int
        var bytesPerSecond: Double?
        var heardAt: TimeInterval
    }

    /// Seconds after which the rate of a silent worker no longer counts: it reports every second.
    static let silenceMaximum: TimeInterval = 10

    /// The uploads that run.
    private var paces: [UUID: Pace] = [:]
    private var startedCount = 0
    /// The last trouble of each upload.
    private var troubles: [UUID: String] = [:]
    /// The uploads that have met each trouble. It is reported of the first one, and of one more each time their number has doubled.
    private var troubleCounts: [String: Int] = [:]
    /// The troubles that are counted; further ones are not reported.
    static let troublesMaximum = 1000
    private(set) var bytesDone: Int64 = 0
    private(set) var bytesTotal: Int64 = 0
    private(set) var endedCount = 0
    private(set) var failedCount = 0

    /// The number of all uploads, ended or not.
    var count: Int { endedCount + entries.count }

    var isDone: Bool { entries.isEmpty }

    /// The uploads that have not ended, in the order of the plan.
    var open: [Entry] { entries.values.sorted { $0.index < $1.index } }

    var runningCount: Int { paces.count }

    /// The uploads that run, in the order in which they began.
    /// - Parameter time: seconds on the clock of ``apply(_:at:)``.
    func running(_ limit: Int, at time: TimeInterval) -> [Running] {
        paces.sorted { $0.value.number < $1.value.number }.prefix(limit).compactMap { key, pace in
            let isFresh = time - pace.heardAt < Self.silenceMaximum
            return entries[key].map { Running(entry: $0, bytesPerSecond: isFresh ? pace.bytesPerSecond : nil) }
        }
    }

    /// Adds an upload before its job is published. An upload that is added twice counts once.
    mutating func add(_ id: JobID, at index: Int, size: Int64) {
        guard let key = UUID(uuidString: id.rawValue) else { return }
        let old = entries.updateValue(Entry(index: index, size: size), forKey: key)
        bytesTotal += size - (old?.size ?? 0)
    }

    /// Removes an upload whose job was not published after all. An ended upload stays: its job was published, whatever the broker answered.
    mutating func remove(_ id: JobID) {
        guard let key = UUID(uuidString: id.rawValue), let entry = entries.removeValue(forKey: key) else { return }
        troubles[key] = nil
        paces[key] = nil
        bytesTotal -= entry.size
        bytesDone -= entry.bytesDone
    }

    /// Applies an event. A worker's `completed` counts; `failed` and `cancelled` count only from the ledger, because a worker cannot know
    /// whether its baton is still valid. A repeated event changes nothing.
    /// - Parameter time: seconds on any clock that does not jump.
    mutating func apply(_ event: UploadEvent, at time: TimeInterval = 0) -> News? {
        guard let key = UUID(uuidString: event.job.id.rawValue), var entry = entries[key] else { return nil }
        defer { if entries[key] != nil { entries[key] = entry } }
        if event.job.size > entry.size {
            // The size of an object at a destination is unknown until a worker has looked at it.
            bytesTotal += event.job.size - entry.size
            entry.size = event.job.size
        }
        note(event, key, at: time)
        switch event.kind {
        case .completed: return end(&entry, key, event)
        case .failed, .cancelled:
            if event.id == event.asOutcome.id { return end(&entry, key, event) }
            return tell(
                entry, key, "\(event.data.error?.message ?? event.kind.rawValue); waiting for the notifier to record it"
            )
        case .progress:
            advance(&entry, to: event.data.bytesDone ?? 0)
        case .waiting:
            if let error = event.data.error {
                let pause = event.data.waitingUntil.map { max(0, $0.timeIntervalSince(event.time)) }
                let until = pause.map { "; next attempt in \(Quantity.text(seconds: $0.rounded(.up)))" } ?? ""
                return tell(entry, key, error.message, detail: until)
            }
            if let words = Self.words[event.data.reason ?? ""] { return tell(entry, key, words) }
        case .paused: return tell(entry, key, "paused until it is resumed")
        case .enqueued, .started, .handedOver, .suspect: break
        }
        return nil
    }

    private mutating func note(_ event: UploadEvent, _ key: UUID, at time: TimeInterval) {
        switch event.kind {
        case .started, .progress:
            let known = paces[key]
            if known == nil { startedCount += 1 }
            paces[key] = Pace(
                number: known?.number ?? startedCount,
                bytesPerSecond: event.kind == .progress ? event.data.bytesPerSecond.map { max(0, $0) } : nil,
                heardAt: time)
        // An upload that was handed over goes on at another worker in a moment.
        case .enqueued, .handedOver: break
        case .waiting, .paused, .suspect, .completed, .failed, .cancelled: paces[key] = nil
        }
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
        guard troubles.updateValue(trouble, forKey: key) != trouble,
            troubleCounts[trouble] != nil || troubleCounts.count < Self.troublesMaximum
        else { return nil }
        let count = (troubleCounts[trouble] ?? 0) + 1
        troubleCounts[trouble] = count
        guard count & (count - 1) == 0 else { return nil }
        return .trouble(entry, trouble + detail + (count > 1 ? " (so far of \(count) uploads)" : ""))
    }

    private static let words = [
        WaitReason.unknownDestination.label:
            "no worker that took it knows its destination yet; check their configuration",
        WaitReason.unknownStagingArea.label: "no worker that took it serves its staging area yet; check --staging",
        WaitReason.unsupportedVersion.label: "the worker that took it is too old for it; update the worker",
        WaitReason.cancelling.label: "it is being cancelled",
        "circuitOpen": "its destination cannot be used; it is retried automatically",
        "limited": "a limit of its destination or its worker delays it; it starts automatically",
        "clock": "its time is over by its worker's clock, which no other clock has confirmed yet",
        "resting": "its destination asked for a pause, or holds a lock",
        "notYet": "its destination has it, and is not done with it yet",
    ]
}

import Foundation
import Synchronization
import Uploads
import UploadsRabbitMQ

/// Waits for the outcomes of the enqueued jobs.
struct Waiting: Sendable {
    let display: WaitDisplay
    let interruption: Interruption
    /// Returns the id of an upload's job.
    let id: @Sendable (PlannedUpload) -> JobID

    /// Starts a task that applies events to the display until the events end.
    func listen(to watch: OutcomeWatch) -> Task<Void, any Error> {
        Task { [display] in
            for try await event in watch { display.apply(event) }
        }
    }

    /// Waits until all uploads have ended, the user interrupts, or the broker sends no more events.
    func finish(_ listening: Task<Void, any Error>) async throws -> ExitCode {
        let problem: String? = try await interruption.cancelling { [display] in
            await withTaskGroup(of: String?.self) { group in
                group.addTask {
                    do {
                        try await listening.value
                        return "the broker sends no more outcomes"
                    } catch {
                        return (error as? UploadError)?.message ?? "the outcomes cannot be read any more"
                    }
                }
                group.addTask {
                    while !display.awaited({ $0.isDone }), (try? await Task.sleep(for: WaitDisplay.interval)) != nil {}
                    return nil
                }
                let drawing = Task { await display.keepDrawing() }
                defer { drawing.cancel() }
                let problem = await group.next() ?? nil
                listening.cancel()
                group.cancelAll()
                return problem
            }
        }
        Console.erase()
        let awaited = display.awaited { $0 }
        let open = awaited.count - awaited.endedCount
        if open == 0 {
            Console.error(line: display.summary)
            return awaited.failedCount == 0 ? .done : .uploadFailed
        }
        display.tellUnended(id: id)
        let are = open == 1 ? "1 upload goes" : "\(open) uploads go"
        if interruption.wasInterrupted {
            Console.error(
                line:
                    "enqueue-upload: stopped waiting; \(awaited.endedCount) of \(awaited.count) ended, \(are) on; 'uploadctl wait' with the "
                    + "ids, or with --batch, waits again")
            return .interrupted
        }
        Console.error(
            line:
                "enqueue-upload: \(problem ?? "the outcomes were lost"); \(are) on, but their outcomes are not known here"
        )
        return .unavailable
    }
}

/// The display of `--wait` on standard error: on a terminal a bar for each upload that runs and one for all, redrawn in place
/// with the troubles above them, otherwise a line for each outcome.
final class WaitDisplay: Sendable {
    /// The time between two drawings.
    static let interval = Duration.milliseconds(100)

    private struct State {
        var awaited = AwaitedUploads()
        var meter = RateMeter()
        /// The names of the uploads that have a bar, by their positions in the plan.
        var names: [Int: String] = [:]
    }

    private let state = Mutex(State())
    private let plan: EnqueuePlan
    /// Whether there are bars.
    private let isLive: Bool
    /// Where the ended uploads are written as JSON; nil writes sentences.
    private let json: ResultWriter?
    private let start = ContinuousClock.now

    init(plan: EnqueuePlan, isLive: Bool = Console.canDrawErrors, json: ResultWriter?) {
        self.plan = plan
        self.isLive = isLive
        self.json = json
    }

    /// Reads the present state of the uploads.
    func awaited<Value>(_ body: (AwaitedUploads) -> Value) -> Value { state.withLock { body($0.awaited) } }

    /// - Parameter index: the upload's position in the plan.
    func add(_ job: UploadJob, at index: Int) {
        state.withLock { $0.awaited.add(job.id, at: index, size: job.size) }
    }

    func remove(_ id: JobID) { state.withLock { $0.awaited.remove(id) } }

    /// Applies an event and prints an outcome or a new trouble.
    func apply(_ event: UploadEvent) {
        switch state.withLock({ $0.awaited.apply(event, at: time) }) {
        case .ended(let entry, let end)?:
            guard let upload = upload(at: entry.index) else { return }
            json?.write(EnqueuedListing(upload, id: end.job.id, size: entry.size, event: end).text)
            if end.kind != .completed || (json == nil && (!isLive || end.isKept)) {
                Console.error(line: PlainText.safe(Self.outcome(upload, end)))
            }
        case .trouble(let entry, let text)?:
            Console.error(line: PlainText.safe("\(plan.name(at: entry.index)): \(text)"))
        case nil: break
        }
    }

    /// With JSON, prints the objects of the uploads that have not ended, so that no id is lost.
    /// - Parameter id: returns the id of an upload's job.
    func tellUnended(id: (PlannedUpload) -> JobID) {
        guard let json else { return }
        for entry in awaited({ $0.open }) {
            guard let upload = upload(at: entry.index) else { continue }
            json.write(EnqueuedListing(upload, id: id(upload), size: entry.size).text)
        }
    }

    /// - Returns: nil if the plan cannot be read any more; this also prints the error.
    private func upload(at index: Int) -> PlannedUpload? {
        do throws(UploadError) {
            return try plan.upload(at: index)
        } catch {
            Console.error(line: "enqueue-upload: \(error.message)")
            return nil
        }
    }

    /// Draws the bars until the task is cancelled.
    func keepDrawing() async {
        guard isLive else { return }
        while (try? await Task.sleep(for: Self.interval)) != nil { draw() }
    }

    private func draw() {
        let bars = bars()
        Console.draw { columns, rows in bars.lines(columns: columns, rows: rows) }
    }

    private func bars() -> WaitBars {
        state.withLock { state in
            let awaited = state.awaited
            let now = time
            state.meter.note(awaited.bytesDone, at: now)
            let total = ProgressBar(
                bytesDone: awaited.bytesDone, bytesTotal: awaited.bytesTotal, filesDone: awaited.endedCount,
                filesTotal: awaited.count, failed: awaited.failedCount, bytesPerSecond: state.meter.bytesPerSecond)
            let running = awaited.running(WaitBars.countMaximum, at: now)
            let known = state.names
            state.names = running.map(\.entry.index).reduce(into: [:]) { $0[$1] = known[$1] ?? plan.name(at: $1) }
            let uploads = running.map { running in
                UploadBar(
                    name: state.names[running.entry.index] ?? "", bytesDone: running.entry.bytesDone,
                    bytesTotal: running.entry.size, bytesPerSecond: running.bytesPerSecond)
            }
            return WaitBars(uploads: uploads, runningCount: awaited.runningCount, total: total)
        }
    }

    private var time: TimeInterval { (ContinuousClock.now - start) / .seconds(1) }

    /// `completed cat.jpg: /srv/archive/cat.jpg`, `kept cat.jpg: photos:cat.jpg was there already`, `failed cat.jpg: why; remedy`.
    static func outcome(_ upload: PlannedUpload, _ end: UploadEvent) -> String {
        if end.isKept {
            return "kept \(upload.path): \(upload.destination.displayText) was there already"
        }
        let detail: String =
            switch end.kind {
            case .completed:
                end.data.object.map { DestinationReference.redact($0.location) } ?? upload.destination.displayText
            case .failed: end.data.error?.message ?? "no reason was given"
            default: "by request"
            }
        return "\(end.kind.rawValue) \(upload.path): \(detail)"
    }

    /// The last line: `2 of 3 uploads completed, 64.0 MiB in 5s`.
    var summary: String {
        let awaited = awaited { $0 }
        let done = awaited.endedCount - awaited.failedCount
        let total = awaited.count
        let seconds = max(0.1, time)
        let rate = Quantity.text(bytes: Int64(saturating: Double(awaited.bytesDone) / seconds))
        return "\(done) of \(total) \(total == 1 ? "upload" : "uploads") completed, "
            + "\(Quantity.text(bytes: awaited.bytesDone)) in \(String(format: "%.1f", seconds)) s (\(rate)/s)"
    }
}

extension UploadEvent {
    /// Whether the job kept the object that the destination already had.
    fileprivate var isKept: Bool { kind == .completed && data.object?.isKept == true }
}

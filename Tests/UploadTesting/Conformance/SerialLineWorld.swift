import Testing
import Uploads

/// A notifier that publishes markers to itself, remembers the batons that it issued, and may be killed between any two steps.
final class SerialLineWorld {
    private let suite: LedgerConformance
    private(set) var ledger: any LedgerConformance.Ports
    /// The owed publications.
    private var owed: [OwedAction] = []
    private var markers: [IssueMarker] = []
    /// Batons of jobs that have not ended yet, in the order of their issue.
    var running: [Baton] = []
    var issued: [JobID] = []

    init(_ suite: LedgerConformance) async throws {
        self.suite = suite
        ledger = try await suite.make()
    }

    /// A job of a serial line.
    static func job(_ queue: QueueName = .standard, at place: SerialPosition = .end) -> UploadJob {
        var job = LedgerConformance.makeSecretJob()
        job.queue = queue
        job.serial = place
        return job
    }

    func record(_ messages: [NotifierMessage]) async throws {
        owed += try await LedgerConformance.record(messages, in: ledger, routes: [])
    }

    func record(_ jobs: [UploadJob]) async throws {
        try await record(jobs.map { .job($0, maybeRepeated: false) })
    }

    func carryOut(_ command: UploadOrder.Command) async throws -> OrderAnswer {
        let order = UploadOrder(command, by: "jo", at: LedgerConformance.start)
        while true {
            let step = try await ledger.carryOut(
                order, view: ControlView(), routes: [], now: LedgerConformance.start)
            owed += step.owed
            if let answer = step.answer { return answer }
        }
    }

    /// Kills the notifier, and starts another one with the same ledger.
    func crash() async throws {
        ledger = try await suite.reopen(ledger)
        owed = try await ledger.owed()
    }

    /// Publishes, and reads the markers, until nothing is left.
    func settle() async throws {
        while !owed.isEmpty || !markers.isEmpty {
            let now = owed
            owed = []
            for action in now {
                switch action.action {
                case .mark(let marker): markers.append(marker)
                case .issue(let baton, _, _) where baton.onlyRemovesCopy: break
                case .issue(let baton, _, let maybeRepeated):
                    if maybeRepeated {
                        try await record([
                            .event(UploadEvent(kind: .suspect, of: baton, at: LedgerConformance.start))
                        ])
                    } else {
                        running.removeAll { $0.job.id == baton.job.id }
                        running.append(baton)
                        issued.append(baton.job.id)
                    }
                default: break
                }
            }
            ledger.settle(now.map(\.id))
            let read = markers
            markers = []
            if !read.isEmpty { try await record(read.map { .marker($0) }) }
        }
    }

    /// The baton that was issued last.
    var baton: Baton { get throws { try #require(running.last) } }

    /// Ends the job of a baton.
    func end(_ baton: Baton, _ kind: EventKind = .completed) async throws {
        running.removeAll { $0 == baton }
        try await record([.event(UploadEvent(kind: kind, of: baton, at: LedgerConformance.start))])
    }

    /// Lets everything complete.
    func finishAll() async throws {
        try await settle()
        while let baton = running.last {
            try await end(baton, baton.isCancel ? .cancelled : .completed)
            try await settle()
        }
    }

    /// The jobs that wait in a line, in its order, page by page.
    func waiting(in queue: QueueName = .standard, limit: Int = 1000) async throws -> [LinePage.Entry] {
        var entries: [LinePage.Entry] = []
        var after: Int64?
        repeat {
            let page = try await ledger.line(of: queue, after: after, limit: limit)
            entries += page.entries.filter { $0.position != nil }
            after = page.next
        } while after != nil
        return entries
    }
}

import Foundation
import Synchronization
import Uploads

/// One slice under way: carries out the actions of its ``SliceMachine`` and passes the results back to it.
final class SliceRun: Sendable {
    /// The open resources, which every path closes.
    struct Open: Sendable {
        var destination: (any Destination)?
        var source: (any UploadSource)?
        var session: (any UploadSession)?
        var missing: [Part] = []
        var isStartedTold = false
        var circuit: Circuits.Entry?
        var pace: TransferPace?
        var origin: Origin?
        var traffic: DestinationTraffic?
    }

    /// The place at a destination that the source is read from.
    struct Origin: Sendable {
        let reference: DestinationReference
        let pace: TransferPace?
        /// Whether it is another place than the job's destination.
        let isApart: Bool
        let circuit: Circuits.Entry?
        var seat: OriginSeats.Seat?
    }

    /// The tickets of one action.
    struct Tickets: Sendable {
        var turn: Requests.Ticket
        var request: Requests.Ticket
    }

    let claimed: any ClaimedBaton
    let baton: Baton
    let runner: SliceRunner
    let meter = ProgressMeter()
    let requests = Requests()
    /// Parts that wait for their turn.
    let turns = Requests()
    let open = Mutex(Open())
    private let mails: AsyncStream<Mail>
    private let mailbox: AsyncStream<Mail>.Continuation

    /// What the slice's task keeps between two mails.
    private struct Course {
        var machine: SliceMachine
        var times: SliceTimes
        var settlement: Settlement?
        var isPauseWatched = false
    }

    private enum Mail: Sendable {
        case fact(SliceFact)
        /// Something may be due by the slice's times.
        case time
    }

    init(_ claimed: any ClaimedBaton, runner: SliceRunner) {
        self.claimed = claimed
        self.baton = claimed.baton
        self.runner = runner
        (mails, mailbox) = AsyncStream.makeStream(of: Mail.self)
    }

    func tell(_ fact: SliceFact) { mailbox.yield(.fact(fact)) }

    /// Runs the slice to its settlement. When the worker's task is cancelled, no grace is left, but the slice's own task goes on, to take
    /// the last answers and to hand over.
    func run() async -> SettledSlice {
        let task = Task.immediate { await carry() }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            tell(.graceUsedUp)
        }
    }

    private func carry() async -> SettledSlice {
        let startedAt = runner.now()
        var course = Course(
            machine: SliceMachine(
                baton: baton, rules: runner.rules, isClockConfirmed: runner.witnesses.isConfirmed(now: startedAt)),
            times: SliceTimes(
                runner.configuration, startedAfter: baton.onlyRemovesCopy ? nil : runner.startedAfter,
                size: baton.job.size, now: startedAt))
        await withDiscardingTaskGroup { group in
            tell(.begun)
            let endLossWait = claimed.onLoss { [mailbox] in mailbox.yield(.fact(.lost($0))) }
            defer { endLossWait() }
            let elapsed = RateLimiter.stopwatch(runner.clock)
            var alarm = setAlarm(after: course.times.next)
            defer { runner.alarms.remove(alarm) }
            var mails = mails.makeAsyncIterator()
            while course.settlement == nil {
                // The stream does not end before the slice has settled.
                guard case .fact(let fact) = await mails.next() ?? .fact(.graceUsedUp) else {
                    take(&course, dueAt: elapsed(), &group)
                    alarm = setAlarm(after: course.times.next - elapsed())
                    continue
                }
                take(fact, &course, &group)
            }
            // Rule 9: epoch and lock. Whatever settles a slice, a lost connection too, cancels its requests at once.
            group.cancelAll()
        }
        await close()
        return settled(course, startedAt: startedAt)
    }

    // The functions that do not wait are not inlined: a task keeps room for all their values as long as it lives, the stack of a thread does
    // not.

    @inline(never)
    private func take(_ course: inout Course, dueAt elapsed: Duration, _ group: inout DiscardingTaskGroup) {
        for due in course.times.due(at: max(course.times.next, elapsed), done: meter.done, now: runner.now()) {
            switch due {
            case .started: group.addTask { await self.tellStartedInTime() }
            case .fact(let fact): tell(fact)
            case .progress(let bytes, let rate):
                claimed.progress(bytesDone: bytes, bytesPerSecond: rate, partBytes: meter.partBytes)
            }
        }
    }

    @inline(never)
    private func take(_ fact: SliceFact, _ course: inout Course, _ group: inout DiscardingTaskGroup) {
        if fact == .yieldRequested(.preempt) { group.addTask { await self.watchPreemption() } }
        if case .lost(let validity) = fact, validity == .paused || validity == .stopped, !course.isPauseWatched {
            course.isPauseWatched = true
            group.addTask { await self.watchReturn(from: validity) }
        }
        for action in course.machine.handle(fact, at: runner.now()) {
            switch action {
            case .settle(let settled): course.settlement = settled
            case .cancelRequests:
                turns.cancelAll()
                requests.cancelAll()
            case .withdrawTurns: turns.close()
            default:
                // Taken here, since the machine may cancel the action before its task goes on from its first wait.
                let tickets = Tickets(turn: turns.ticket(), request: requests.ticket())
                // It begins at once: most actions of a small job end without a wait, and cost no change of threads.
                group.addImmediateTask {
                    guard let fact = await self.perform(action, tickets) else { return }
                    self.note(fact, of: action)
                    self.tell(fact)
                }
            }
        }
    }

    @inline(never)
    private func settled(_ course: Course, startedAt: Date) -> SettledSlice {
        // The machine always settles; an unsettled slice would be delivered again and become a suspect.
        let settlement = course.settlement ?? .abandoned
        return SettledSlice(
            settlement, report: report(settlement, startedAt: startedAt, hasStarted: course.machine.hasStarted))
    }

    private func setAlarm(after delay: Duration) -> Alarms.ID {
        runner.alarms.set(after: delay) { [mailbox] in mailbox.yield(.time) }
    }

    private func report(_ settlement: Settlement, startedAt: Date, hasStarted: Bool) -> SliceReport {
        var report = SliceReport(bytesSent: meter.sent)
        switch settlement {
        case .handOver where !hasStarted: return report
        case .wait(_, let reason, _) where !hasStarted && !reason.countsAsAttempt: return report
        default: break
        }
        report.startedAt = startedAt
        report.activeSeconds = max(0, runner.now().timeIntervalSince(startedAt))
        return report
    }

    private func close() async {
        mailbox.finish()
        let left = open.withLock { open in
            defer { open = Open() }
            return open
        }
        await left.session?.close()
        await left.source?.close()
        if let entry = left.circuit { runner.circuits.leave(entry) }
        if let entry = left.origin?.circuit { runner.circuits.leave(entry) }
        if let seat = left.origin?.seat { runner.seats.giveBack(seat) }
        left.traffic?.jobEnds()
    }

    /// Reports whether the destination worked to its circuit, and to the gate whether it had too much to do.
    @inline(never)
    private func note(_ fact: SliceFact, of action: SliceAction) {
        noteOrigin(fact)
        guard action.isAtDestination, fact.sourceFailure == nil else { return }
        if case .named = baton.job.destination, fact.showsOverload {
            runner.gate.noteOverload(at: baton.job.destination.label)
        }
        guard let entry = open.withLock({ $0.circuit }),
            let evidence = CircuitEvidence(fact, of: baton.job.destination, isWrite: action.isWrite)
        else { return }
        runner.circuits.note(evidence, by: baton.job.id, with: entry)
    }

    /// Reports whether the place that the source is read from worked to its circuit.
    private func noteOrigin(_ fact: SliceFact) {
        guard let origin = open.withLock({ $0.origin }), let entry = origin.circuit else { return }
        let evidence: CircuitEvidence? =
            if let error = fact.sourceFailure {
                CircuitEvidence(error, of: origin.reference, isWrite: false)
            } else {
                fact.showsSourceWorks ? .works(CircuitEvidence.read) : nil
            }
        if let evidence { runner.circuits.note(evidence, by: baton.job.id, with: entry) }
    }
}

extension SliceFact {
    /// Whether the destination refused a request for the number of requests, or gave no answer.
    fileprivate var showsOverload: Bool {
        switch self {
        case .failed(let error), .partFailed(_, let error, _):
            switch error.response?.status {
            case 429, 503, 504: true
            case nil: error.code == .networkFailure
            default: false
            }
        default: false
        }
    }
}

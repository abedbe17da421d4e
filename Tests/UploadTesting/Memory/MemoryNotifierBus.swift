import Foundation
import Synchronization
public import Uploads

/// The notifier's side of a broker, in memory. It delivers a message again until the notifier acknowledges it, and a test can let any
/// publication fail, before or after it took effect.
public final class MemoryNotifierBus: NotifierBus {
    /// A publication, in the order in which it took effect.
    public enum Publication: Hashable, Sendable {
        case mark(IssueMarker)
        case issue(Baton, Lane, maybeRepeated: Bool)
        case append(ControlEntry)
        case snapshot(ControlView)
        case tell(UploadEvent)
    }

    /// The point at which a publication fails.
    public enum Fault: Hashable, Sendable, CaseIterable {
        /// The message did not arrive.
        case before
        /// The message arrived; only its confirm was lost.
        case after
    }

    private struct State {
        var queue: [NotifierMessage] = []
        /// The messages that were handed over and not acknowledged yet.
        var handedCount = 0
        var hasFailed = false
        var outcomeDoor: Door?
        var publications: [Publication] = []
        var control = ControlView()
        var isDrained = false
        var attempts = 0
        var attemptsAtViews: [Int] = []
        var faults: [Int: Fault] = [:]
        var refusals: [JobID: UploadError] = [:]
        var answersToIssues: [JobID: IssueAnswer] = [:]
        var depths: [QueueName: [Lane: LaneDepth]]?
        var acknowledged = 0
        var answers: [String: [OrderAnswer]] = [:]
        var ledgerWaiters: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter = 0
    }

    /// The most messages of a batch.
    public let batchCountMaximum: Int
    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    public init(batchCountMaximum: Int = 100) {
        self.batchCountMaximum = batchCountMaximum
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: What a test does

    public func send(_ messages: NotifierMessage...) {
        state.withLock { $0.queue += messages }
        signal.yield()
    }

    /// Lets the nth publication attempt fail, counted from 1.
    public func fail(attempt: Int, _ fault: Fault) { state.withLock { $0.faults[attempt] = fault } }

    /// Holds all later outcomes until the door is opened.
    public func holdOutcomes(behind door: Door) { state.withLock { $0.outcomeDoor = door } }

    /// Lets every issue of this job fail; nil ends that.
    public func refuse(_ job: JobID, with error: UploadError?) { state.withLock { $0.refusals[job] = error } }

    /// Answers the issues of this job with `answer`, and lets no lane take them; nil ends that.
    public func answerIssues(of job: JobID, with answer: IssueAnswer?) {
        state.withLock { $0.answersToIssues[job] = answer }
    }

    /// Sets the existing lanes. Without this call all exist, and a worker consumes each.
    public func setDepths(_ depths: [QueueName: [Lane: LaneDepth]]) { state.withLock { $0.depths = depths } }

    public var publications: [Publication] { state.withLock { $0.publications } }
    public var attempts: Int { state.withLock { $0.attempts } }
    /// The number of attempts before each reading of the control log, which happens at every start.
    public var attemptsAtViews: [Int] { state.withLock { $0.attemptsAtViews } }
    public var acknowledged: Int { state.withLock { $0.acknowledged } }
    public var waiting: Int { state.withLock { $0.queue.count } }
    /// The answers to orders, by address.
    public var answers: [String: [OrderAnswer]] { state.withLock { $0.answers } }
    public var told: [UploadEvent] { publications.compactMap { if case .tell(let event) = $0 { event } else { nil } } }
    public var issued: [Baton] {
        publications.compactMap { if case .issue(let baton, _, _) = $0 { baton } else { nil } }
    }

    /// The same broker for the next process: all messages without an acknowledgement are in the queue again.
    public func reconnected() -> MemoryNotifierBus {
        let next = MemoryNotifierBus(batchCountMaximum: batchCountMaximum)
        state.withLock { old in
            let copy = old
            next.state.withLock { state in
                state = copy
                state.isDrained = false
                state.handedCount = 0
                state.faults = [:]
            }
        }
        next.signal.yield()
        return next
    }

    // MARK: NotifierBus

    public var shards: Shards { .one }

    public var isConnected: Bool { true }

    public func spread(_ order: UploadOrder, replyTo: String?) async throws(UploadError) {
        send(.order(order, replyTo: replyTo))
    }

    public func untilRecorded(within limit: Duration) async -> Bool {
        let order = UploadOrder(.ask([JobID()]), by: "this test")
        send(.order(order, replyTo: "recorded"))
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, !Task.isCancelled {
            if answers["recorded"]?.contains(where: { $0.order == order.id }) == true { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    public func consume(
        _ shards: Set<Int>, until change: @escaping @Sendable () async -> Void,
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError) {
        state.withLock { state in
            state.handedCount = 0
            state.hasFailed = false
        }
        signal.yield()
        let failure = await withTaskGroup(of: UploadError?.self) { group in
            var failure: UploadError?
            for await _ in signals {
                while failure == nil, let batch = nextBatch() {
                    do {
                        let end = try await handle(batch)
                        failure = await group.next() ?? nil
                        if failure == nil { group.addTask { await self.end(batch, end) } }
                    } catch {
                        failure = Self.failure(error)
                    }
                }
                if failure != nil || state.withLock({ $0.isDrained || $0.hasFailed }) { break }
            }
            for await late in group { failure = late ?? failure }
            return failure
        }
        if let failure { throw failure }
    }

    private func nextBatch() -> [NotifierMessage]? {
        state.withLock { state in
            let batch = Array(state.queue.dropFirst(state.handedCount).prefix(batchCountMaximum))
            guard !state.isDrained, !state.hasFailed, !batch.isEmpty else { return nil }
            state.handedCount += batch.count
            return batch
        }
    }

    private func end(_ batch: [NotifierMessage], _ end: BatchEnd) async -> UploadError? {
        do {
            try await end()
        } catch {
            state.withLock { $0.hasFailed = true }
            signal.yield()
            return Self.failure(error)
        }
        state.withLock { state in
            state.queue.removeFirst(batch.count)
            state.handedCount -= batch.count
            state.acknowledged += batch.count
        }
        return nil
    }

    private static func failure(_ error: any Error) -> UploadError {
        error as? UploadError ?? UploadError(.unknown, "the handler failed", cause: error)
    }

    public func drain() async {
        state.withLock { $0.isDrained = true }
        signal.yield()
    }

    public func mark(_ marker: IssueMarker) async throws(UploadError) {
        try publish(.mark(marker)) { $0.queue.append(.marker(marker)) }
        signal.yield()
    }

    public func issue(_ baton: Baton, on lane: Lane, maybeRepeated: Bool) async throws(UploadError) -> IssueAnswer {
        if let refusal = state.withLock({ $0.refusals[baton.job.id] }) { throw refusal }
        if let answer = state.withLock({ $0.answersToIssues[baton.job.id] }) { return answer }
        try publish(.issue(baton, lane, maybeRepeated: maybeRepeated)) { _ in }
        return .taken
    }

    public func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        let lanes = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, LaneDepth(messages: 0, consumers: 1)) })
        let known = state.withLock { $0.depths } ?? Dictionary(uniqueKeysWithValues: queues.map { ($0, lanes) })
        return known.filter { queues.contains($0.key) }
    }

    public func append(_ entry: ControlEntry) async throws(UploadError) {
        try publish(.append(entry)) { state in
            state.control.apply(entry)
            for waiter in state.ledgerWaiters.values { waiter.yield() }
        }
    }

    public func appendSnapshot() async throws(UploadError) {
        try publish(.snapshot(state.withLock { $0.control })) { _ in }
    }

    public func controlView() async throws(UploadError) -> ControlView {
        state.withLock { state in
            state.attemptsAtViews.append(state.attempts)
            return state.control
        }
    }

    public func controlView(
        withLedgerOtherThan claim: LedgerClaim?
    ) async throws(UploadError) -> ControlView {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastWaiter += 1
            state.ledgerWaiters[state.lastWaiter] = change
            return state.lastWaiter
        }
        defer { state.withLock { _ = $0.ledgerWaiters.removeValue(forKey: id) } }
        change.yield()
        for await _ in changes where state.withLock({ $0.control.ledger }) != claim { break }
        return state.withLock { $0.control }
    }

    public func tell(_ outcome: UploadEvent) async throws(UploadError) {
        await state.withLock { $0.outcomeDoor }?.wait()
        try publish(.tell(outcome)) { _ in }
    }

    public func copy(of message: NotifierMessage) -> MessageCopy {
        switch message {
        case .job(let job, _, let body): Self.copy(body, job, "upload.job.v1")
        case .event(let event, let body): Self.copy(body, event, event.kind.type)
        case .marker(let marker): Self.copy(nil, marker, "upload.marker.v1")
        case .deadBaton(let baton, _): Self.copy(nil, baton, "upload.baton.v1")
        case .order(let order, _): Self.copy(nil, order, "upload.order.v1")
        case .unreadable(let body, _, let envelope): MessageCopy(body: body, envelope: envelope ?? MessageEnvelope())
        }
    }

    private static func copy(_ body: Data?, _ value: some Encodable, _ type: String) -> MessageCopy {
        MessageCopy(
            body: body ?? (try? WireJSON.encode(value)) ?? Data(),
            envelope: MessageEnvelope(type: type, queue: "notifier"))
    }

    public func answer(_ answer: OrderAnswer, to address: String) async {
        state.withLock { $0.answers[address, default: []].append(answer) }
    }

    private func publish(_ publication: Publication, _ effect: (inout State) -> Void) throws(UploadError) {
        let fault = state.withLock { state in
            state.attempts += 1
            let fault = state.faults[state.attempts]
            if fault != .before {
                state.publications.append(publication)
                effect(&state)
            }
            return fault
        }
        if fault != nil { throw UploadError(.networkFailure, "the connection was lost before the confirm") }
    }
}

extension NotifierBus {
    /// Reads the queues of all shards.
    public func consume(
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError) {
        let never = Door()
        try await consume(Set(shards.all), until: { await never.wait() }, handle)
    }
}

import Synchronization
public import Uploads

/// A destination in memory: sessions of parts that become objects. Tests inject faults through closures.
public final class MemoryDestination: RoundDestination, DestinationProvider {
    /// Called for each part, with the number of times that it was sent before; it may wait and may throw.
    public typealias PartHook = @Sendable (UploadJob, Part, _ sentBefore: Int) async throws(UploadError) -> Void

    fileprivate struct State: Sendable {
        var held: [JobID: Set<Int>] = [:]
        var tries: [JobID: [Int: Int]] = [:]
        var objects: [String: Stored] = [:]
        var writes = 0
    }

    fileprivate struct Stored: Sendable {
        var job: UploadJob
        var object: StoredObject
    }

    public let driver = "memory"
    public let limits: TransferLimits
    public let yields: Bool
    public let partSize: Int64
    /// Whether each session must compare the parts at the destination before they count, as with a server that gives no tags.
    public let comparesAnew: Bool
    fileprivate let log: MemoryLog
    fileprivate let hook: PartHook
    fileprivate let completionHook: @Sendable (UploadJob) async throws(UploadError) -> Void
    fileprivate let state = Mutex(State())

    public init(
        limits: TransferLimits = TransferLimits(), yields: Bool = true, partSize: Int64 = 10,
        comparesAnew: Bool = false, log: MemoryLog,
        part hook: @escaping PartHook = { _, _, _ throws(UploadError) in },
        completing: @escaping @Sendable (UploadJob) async throws(UploadError) -> Void = { _ throws(UploadError) in }
    ) {
        self.limits = limits
        self.yields = yields
        self.partSize = partSize
        self.comparesAnew = comparesAnew
        self.log = log
        self.hook = hook
        completionHook = completing
    }

    public var objectCount: Int { state.withLock { $0.objects.count } }
    /// The job whose object lies under a key of the destination `memory`.
    public func owner(of key: String) -> JobID? { state.withLock { $0.objects["memory:\(key)"]?.job.id } }
    public var sessionCount: Int { state.withLock { $0.held.count } }

    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        if case .named(let name, _) = reference, name.rawValue == "unknown" { return nil }
        return self
    }

    public func canYield(_ job: UploadJob) -> Bool { yields }

    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        self.state.withLock { held in
            let found = held.objects[job.destination.displayText]
            if let found, found.job.id == job.id { return .complete(CompletedUpload(found.object)) }
            if let found, found.job.enqueuedAt > job.enqueuedAt { return .other(found.object, isNewer: true) }
            if held.held[job.id] != nil { return .partial(Self.state(of: job), beside: found?.object) }
            return found.map { .other($0.object, isNewer: false) } ?? .nothing
        }
    }

    public func open(
        _ job: UploadJob, round: Int, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        log.count { $0.openedRounds.append(round) }
        return try await open(job, resuming: state)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let plan = PartPlan(size: job.size, partSize: yields ? partSize : max(1, job.size))
        let held: Set<Int>? = self.state.withLock { all in
            if state != nil, all.held[job.id] == nil { return nil }
            all.held[job.id] = yields ? all.held[job.id] ?? [] : []
            return all.held[job.id]
        }
        guard let held else { throw UploadError(.sessionExpired, "the session is gone: open a new one") }
        log.count { $0.openSessions += 1 }
        let missing = plan.parts.filter { !held.contains($0.number) }
        return MemorySession(
            job: job, destination: self, plan: plan, missing: comparesAnew ? Array(plan.parts) : missing,
            bytesHeld: plan.size - missing.reduce(0) { $0 + $1.size })
    }

    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        self.state.withLock { $0.held[job.id] = nil }
    }

    fileprivate static func state(of job: UploadJob) -> UploadState {
        UploadState(driver: "memory", payload: .string(job.id.rawValue))
    }
}

private struct MemorySession: UploadSession {
    let job: UploadJob
    let destination: MemoryDestination
    let plan: PartPlan
    let missing: [Part]
    let bytesHeld: Int64

    var state: UploadState? { destination.yields ? MemoryDestination.state(of: job) : nil }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let log = destination.log
        log.count { counts in
            counts.partsInFlight += 1
            counts.partsInFlightMaximum = max(counts.partsInFlightMaximum, counts.partsInFlight)
        }
        defer { log.count { $0.partsInFlight -= 1 } }
        let before = destination.state.withLock { state in
            defer { state.tries[job.id, default: [:]][part.number, default: 0] += 1 }
            return state.tries[job.id]?[part.number] ?? 0
        }
        try await destination.hook(job, part, before)
        if Task.isCancelled { throw UploadError(.cancelled, "the part was cancelled: send it again") }
        sent(Int(part.size))
        destination.state.withLock { _ = $0.held[job.id]?.insert(part.number) }
        log.count { $0.accepted[job.id, default: []].append(part.number) }
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await destination.completionHook(job)
        let object = destination.state.withLock { state -> StoredObject? in
            let location = job.destination.displayText
            switch condition {
            case .none: break
            case .absent: if state.objects[location] != nil { return nil }
            case .unchanged(let etag): if state.objects[location]?.object.etag != etag { return nil }
            }
            state.writes += 1
            let object = StoredObject(location: location, etag: "\(state.writes)", size: job.size)
            state.held[job.id] = nil
            state.tries[job.id] = nil
            state.objects[location] = MemoryDestination.Stored(job: job, object: object)
            return object
        }
        guard let object else {
            throw UploadError(.preconditionFailed, "something else lies there: ask again what it is")
        }
        destination.log.count { $0.completions += 1 }
        return CompletedUpload(object)
    }

    func close() async { destination.log.count { $0.openSessions -= 1 } }
}

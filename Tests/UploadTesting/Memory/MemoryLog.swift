import Synchronization
public import Uploads

/// Records the calls to the memory ports, for tests to check.
public final class MemoryLog: Sendable {
    public struct Started: Hashable, Sendable {
        public var job: JobID
        public var slice: Int
        public var state: UploadState?
    }

    public struct Progress: Hashable, Sendable {
        public var job: JobID
        public var bytesDone: Int64
        public var partBytes: Int64?
    }

    public struct Counts: Sendable {
        public var started: [Started] = []
        public var progress: [Progress] = []
        public private(set) var settled: [(baton: Baton, slice: SettledSlice)] = []
        public private(set) var endedCount = 0
        public var removedCopies: [JobID] = []
        public var liveClaims = 0
        public var openSources = 0
        public var openSessions = 0
        public var claimedSources = 0
        /// The numbers of the accepted parts of each job, in order.
        public var accepted: [JobID: [Int]] = [:]
        public var partsInFlight = 0
        public var partsInFlightMaximum = 0
        public var jobsInFlight: Set<JobID> = []
        public var jobsInFlightMaximum = 0
        public var completions = 0
        /// The round of each opened session, in order.
        public var openedRounds: [Int] = []

        mutating func settle(_ baton: Baton, _ slice: SettledSlice) {
            settled.append((baton, slice))
            if case .ended = slice.settlement { endedCount += 1 }
        }
    }

    private let state = Mutex(Counts())

    public init() {}

    public var counts: Counts { state.withLock { $0 } }

    /// The settlements of a job's slices, in order.
    public func settlements(of job: JobID) -> [Settlement] {
        counts.settled.filter { $0.baton.job.id == job }.map(\.slice.settlement)
    }

    public var endedCount: Int { state.withLock(\.endedCount) }

    func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }
}

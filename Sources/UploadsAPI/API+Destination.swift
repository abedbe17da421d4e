public import Foundation

extension API {
    /// A destination with its limits, its jobs, and how its workers find it.
    public struct Destination: Codable, Hashable, Sendable {
        /// The configured name, or the scheme of a URL.
        public var name: String
        /// nil for a URL, and for a name that the notifier's configuration does not have.
        public var driver: String?
        /// The limits of each worker, by the notifier's configuration; nil where it does not have the name.
        public var limits: Limits?
        /// Jobs by status.
        public var jobs: [String: Int]
        /// Bytes of the jobs whose round has not ended, whatever has arrived of them.
        public var bytesLeft: Int64
        public var circuit: Circuit
        /// Jobs that a limit holds up, of the newest 100 that wait.
        public var limited: Int
        /// The sum of the workers' reports; nil where no worker has reported for 30 s.
        public var live: DestinationLive?
        /// The workers that have reported within the last 30 s, by name; the first 100.
        @Tolerant public var workers: [DestinationWorker]

        public init(
            name: String, driver: String? = nil, limits: Limits? = nil, jobs: [String: Int], bytesLeft: Int64,
            circuit: Circuit, limited: Int, live: DestinationLive? = nil, workers: [DestinationWorker]
        ) {
            self.name = name
            self.driver = driver
            self.limits = limits
            self.jobs = jobs
            self.bytesLeft = bytesLeft
            self.circuit = circuit
            self.limited = limited
            self.live = live
            self.workers = workers
        }
    }

    /// The limits of each worker at one destination; nil is no limit.
    public struct Limits: Codable, Hashable, Sendable {
        public var jobs: Int?
        public var parts: Int?
        public var bytesPerSecond: Int64?
        public var requestsPerSecond: Int?

        public init(jobs: Int? = nil, parts: Int? = nil, bytesPerSecond: Int64? = nil, requestsPerSecond: Int? = nil) {
            self.jobs = jobs
            self.parts = parts
            self.bytesPerSecond = bytesPerSecond
            self.requestsPerSecond = requestsPerSecond
        }
    }

    /// Whether workers use a destination. Each worker has a circuit of its own: for a destination this is the worst of
    /// those that were reported lately; where no worker has reported, it follows from the jobs that wait.
    public struct Circuit: Codable, Hashable, Sendable {
        /// `closed`, `open`, or `halfOpen` while one job tries.
        public var state: String
        /// When the oldest of the jobs that wait for the circuit began to wait; nil while it is closed.
        public var since: Date?
        /// When a worker tries again; of several circuits the latest.
        public var until: Date?
        /// The error that opened the circuit.
        public var error: String?

        public init(state: String, since: Date? = nil, until: Date? = nil, error: String? = nil) {
            self.state = state
            self.since = since
            self.until = until
            self.error = error
        }
    }

    /// A destination as one worker found it last.
    public struct DestinationWorker: Codable, Hashable, Sendable {
        /// The worker's name.
        public var name: String
        /// Scheme, host and port, where the destination is the scheme of a URL.
        public var origin: String?
        public var circuit: Circuit
        public var jobsInFlight: Int
        /// How many jobs the worker has found the destination to take at once; nil where the worker did not report it.
        public var jobsAtOnce: Int?
        /// nil where the worker did not report it.
        public var partsInFlight: Int?
        /// The limits of this worker's configuration.
        public var limits: Limits
        /// Of the last seconds, at most ten.
        public var bytesPerSecond: Double
        /// Whether a limit of bytes or requests makes a job wait.
        public var isHeld: Bool
        /// When the worker reported it, by its clock.
        public var at: Date

        public init(
            name: String, origin: String? = nil, circuit: Circuit, jobsInFlight: Int, jobsAtOnce: Int? = nil,
            partsInFlight: Int? = nil, limits: Limits, bytesPerSecond: Double, isHeld: Bool, at: Date
        ) {
            self.name = name
            self.origin = origin
            self.circuit = circuit
            self.jobsInFlight = jobsInFlight
            self.jobsAtOnce = jobsAtOnce
            self.partsInFlight = partsInFlight
            self.limits = limits
            self.bytesPerSecond = bytesPerSecond
            self.isHeld = isHeld
            self.at = at
        }
    }

    /// The reports of all workers that have reported a destination within the last 30 s, added up.
    public struct DestinationLive: Codable, Hashable, Sendable {
        public var workers: Int
        /// Workers whose circuit is not closed.
        public var failing: Int
        /// Workers that a limit of bytes or requests holds up.
        public var held: Int
        public var jobsInFlight: Int
        /// How many jobs the workers have found the destination to take at once, added up; nil where no worker reported it.
        public var jobsAtOnce: Int?
        @Tolerant public var partsInFlight: Int
        public var bytesPerSecond: Double

        public init(
            workers: Int, failing: Int, held: Int, jobsInFlight: Int, jobsAtOnce: Int? = nil, partsInFlight: Int,
            bytesPerSecond: Double
        ) {
            self.workers = workers
            self.failing = failing
            self.held = held
            self.jobsInFlight = jobsInFlight
            self.jobsAtOnce = jobsAtOnce
            self.partsInFlight = partsInFlight
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Every destination that is configured, or that a job or a worker names.
    public struct DestinationList: Codable, Hashable, Sendable {
        public var destinations: [Destination]

        public init(destinations: [Destination]) {
            self.destinations = destinations
        }
    }
}

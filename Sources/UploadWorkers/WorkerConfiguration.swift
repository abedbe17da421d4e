public import Uploads

/// The settings of a worker.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The name by which operators know this worker; no other worker has it.
    public var name: String
    /// The name of its host, for operators.
    public var host: String
    /// The version of its program, for operators.
    public var version: String
    /// The commit that its program was built of, for operators; nil where that is not known.
    public var commit: String?
    /// The transfer queues that it serves, for operators: the ``JobQueue`` decides from which it takes.
    public var queues: [QueueName]
    /// Slices at once at most, 1 or more: fewer where that is as fast, or where they would need more than 64 MiB of memory. From 4 on, one
    /// more is kept for a destination that has none. Slices that wait for a limit are not counted.
    public var concurrency: Int
    /// Parts in parallel of one job, 1 or more; a destination may allow fewer.
    public var parts: Int
    /// How long a job is carried before its baton is handed over at the next part boundary.
    public var slice: Duration
    /// The time from the request to stop until the last hand-over is published.
    public var grace: Duration
    /// How long the broker lets a worker hold a delivery (RabbitMQ's `consumer_timeout`); nil where nothing limits that.
    public var consumerTimeout: Duration?
    /// The least time between two reports of one job's progress.
    public var progressInterval: Duration
    /// The worker returns when it has held no delivery for this long; with nil it works until it is asked to stop.
    public var exitWhenIdle: Duration?
    /// How long a delivery that a limit holds up stays before it goes to the delay ladder.
    public var limitPatience: Duration
    /// How long a delivery waits for a free slot before it is given back, so that an idle worker may take it.
    public var slotPatience: Duration
    /// How long a job waits for a slot before its destination, if that has most of the slots, counts as holding up the jobs behind it in
    /// the lane.
    public var crowdPatience: Duration
    /// When the jobs of a destination that keeps failing wait.
    public var circuit: CircuitRules

    public init(
        concurrency: Int = 512, parts: Int = 4, slice: Duration = .seconds(300), grace: Duration = .seconds(25),
        consumerTimeout: Duration? = .seconds(1800), progressInterval: Duration = .seconds(1),
        exitWhenIdle: Duration? = nil
    ) {
        self.name = "worker"
        self.host = ""
        self.version = ""
        self.queues = []
        self.concurrency = max(1, concurrency)
        self.parts = max(1, parts)
        self.slice = slice
        self.grace = grace
        self.consumerTimeout = consumerTimeout
        self.progressInterval = progressInterval
        self.exitWhenIdle = exitWhenIdle
        self.limitPatience = .seconds(1)
        self.slotPatience = .seconds(30)
        self.crowdPatience = .seconds(5)
        self.circuit = CircuitRules()
    }

    /// Slices at once before anything was measured.
    public var jobsAtOnceFirst: Int { min(concurrency, ConcurrencyFinder.begin) }

    /// How long a step that cannot be interrupted may take: two thirds of the time that the broker allows for a delivery, which also has to
    /// wait for its slot before and to be settled after.
    var uncutMaximum: Duration? { consumerTimeout.map { $0 * 2 / 3 } }

    /// The end of the grace that is kept for publishing the last hand-overs: a fifth of it, at most 5 s.
    var cutMargin: Duration { min(.seconds(5), grace / 5) }

    /// The rules of its slices. Waiting for the last answers leaves half of the margin for publishing the settlements.
    var rules: SliceRules {
        var rules = SliceRules(parts: parts)
        let milliseconds = Int(clamping: Int64(cutMargin / .milliseconds(2)))
        rules.lastAnswersMilliseconds = min(rules.lastAnswersMilliseconds, milliseconds)
        rules.consumerTimeout = consumerTimeout.map { $0 / .seconds(1) }
        return rules
    }
}

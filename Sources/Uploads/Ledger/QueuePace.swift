public import Foundation

/// How fast the jobs of a transfer queue go on, and so when none will be left: learnt from what ends and from how far the running uploads
/// are.
///
/// A job costs time for itself, in requests and in records, and time for each of its bytes. How many bytes cost as much as a job itself is
/// learnt over half an hour, from moments in which small and large files ended in different numbers. How much gets done in a second is
/// taken from the last moments that say enough: from seconds where bytes move, from minutes where a job ends now and then. So the time
/// left follows within a minute when workers come or go, and holds when small files come first and large ones later.
public struct QueuePace: Hashable, Sendable {
    /// How far a running upload is.
    public struct Upload: Hashable, Sendable {
        public var bytesDone: Int64
        /// At its own rate; nil while nothing of it moves.
        public var secondsLeft: TimeInterval?

        public init(bytesDone: Int64, secondsLeft: TimeInterval?) {
            self.bytesDone = bytesDone
            self.secondsLeft = secondsLeft
        }
    }

    /// What happened between two observations.
    private struct Moment: Hashable {
        let at: Date
        let seconds: TimeInterval
        var completed = 0.0
        var failed = 0.0
        var bytes = 0.0
        /// How much it says about the pace: each end counts once.
        var signs = 0.0

        var jobs: Double { completed + failed }
    }

    /// Seconds before which nothing is remembered.
    private static let memory: TimeInterval = 900
    /// Signs that are enough for an estimate: the number of 40 ended jobs varies by a sixth by chance.
    private static let enough = 40.0
    /// The signs of a moment in which bytes of running uploads moved: four such moments are enough.
    private static let moving = 10.0
    /// The least seconds without any sign after which nothing goes on.
    private static let silence: TimeInterval = 60
    /// Seconds over which the rate of jobs is told, and that of bytes.
    private static let (jobSeconds, byteSeconds) = (60.0, 15.0)

    /// The oldest first.
    private var moments: [Moment] = []
    private var weight = JobWeight()
    private var workerPace = WorkerPace()
    /// Whether jobs waited for a worker when the queue was observed last.
    private var wasWaiting = false
    /// As they were observed last; nil before the first observation.
    private var throughput: [ThroughputMinute]?
    private var at = Date.distantPast
    private var uploads: [JobID: Upload] = [:]
    /// Bytes of uploads that are not seen any more, which have been counted while they moved: the ends of these jobs count them no second
    /// time.
    private var credit = 0.0

    public init() {}

    /// Takes what the ledger and the running uploads' reports say now.
    /// - Parameters:
    ///   - load: with the throughput of the last minutes, always of the same number.
    ///   - uploads: the running ones that have reported.
    ///   - workers: the number of workers that take jobs from the queue; 0 if it is not known.
    public mutating func note(_ load: QueueLoad, uploads: [JobID: Upload], workers: Int = 0, at now: Date) {
        let isWaiting = (load.counts[.queued] ?? 0) > 0
        defer { (throughput, at, self.uploads, wasWaiting) = (load.throughput, now, uploads, isWaiting) }
        let seconds = now.timeIntervalSince(at)
        guard let throughput, seconds >= 0, seconds < Self.memory else {
            (moments, credit) = (Self.moments(of: load.throughput, until: now), 0)
            return
        }
        guard seconds > 0 else { return }
        var moment = Moment(at: now, seconds: seconds)
        let ended = Self.ended(load.throughput, since: throughput)
        (moment.completed, moment.failed) = (ended.completed, ended.failed)
        let moved = self.moved(to: uploads)
        let counted = min(credit, ended.bytes)
        // Uploads that failed leave credit behind, which nothing will use.
        credit = (credit - counted) * exp(-seconds / Self.silence)
        moment.bytes = moved + ended.bytes - counted
        moment.signs = moment.jobs + (moved > 0 ? Self.moving : 0)
        weight.note(jobs: moment.jobs, bytes: moment.bytes, seconds: seconds)
        // Workers without enough to do would seem slow.
        if isWaiting, wasWaiting {
            workerPace.note(
                jobs: moment.jobs, bytes: moment.bytes, signs: moment.signs, seconds: seconds, workers: workers)
        }
        moments.append(moment)
        moments.removeFirst(moments.firstIndex { now.timeIntervalSince($0.at) < Self.memory } ?? moments.count)
    }

    /// What the ledger knows of the whole minutes before the first observation.
    private static func moments(of minutes: [ThroughputMinute], until now: Date) -> [Moment] {
        let known = Dictionary(minutes.map { ($0.start, $0) }, uniquingKeysWith: { first, _ in first })
        let current = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60)
        let all = stride(from: -memory, to: 0, by: 60).map { offset -> Moment in
            let start = current.addingTimeInterval(offset)
            var moment = Moment(at: start.addingTimeInterval(60), seconds: 60)
            guard let minute = known[start] else { return moment }
            (moment.completed, moment.failed) = (Double(minute.completed), Double(minute.failed))
            (moment.bytes, moment.signs) = (Double(minute.bytes), moment.jobs)
            return moment
        }
        return Array(all.drop { $0.signs == 0 })
    }

    /// What has ended since minutes were observed earlier.
    private static func ended(
        _ now: [ThroughputMinute], since before: [ThroughputMinute]
    ) -> (completed: Double, failed: Double, bytes: Double) {
        let known = Dictionary(before.map { ($0.start, $0) }, uniquingKeysWith: { first, _ in first })
        return now.reduce(into: (0, 0, 0)) { sum, minute in
            let old = known[minute.start] ?? ThroughputMinute(start: minute.start)
            sum.0 += max(0, Double(minute.completed) - Double(old.completed))
            sum.1 += max(0, Double(minute.failed) - Double(old.failed))
            sum.2 += max(0, Double(minute.bytes) - Double(old.bytes))
        }
    }

    /// Bytes that have moved since the last observation. - Postcondition: the credit holds those of uploads that are gone.
    private mutating func moved(to now: [JobID: Upload]) -> Double {
        for (job, upload) in uploads where now[job] == nil { credit += Double(upload.bytesDone) }
        return now.reduce(0) { sum, upload in
            sum + max(0, Double(upload.value.bytesDone) - Double(uploads[upload.key]?.bytesDone ?? 0))
        }
    }

    /// Completed jobs a minute, over the last minute.
    public var completedPerMinute: Double { rate(over: Self.jobSeconds, \.completed) * 60 }

    /// Failed jobs a minute, over the last minute.
    public var failedPerMinute: Double { rate(over: Self.jobSeconds, \.failed) * 60 }

    /// Bytes that the uploads have moved in a second, over the last 15 seconds.
    public var bytesPerSecond: Double { rate(over: Self.byteSeconds, \.bytes) }

    private func rate(over seconds: TimeInterval, _ value: (Moment) -> Double) -> Double {
        var (sum, spent) = (0.0, 0.0)
        for moment in moments.reversed() where spent < seconds {
            sum += value(moment)
            spent += moment.seconds
        }
        // The first seconds of an observation say little of a minute.
        return sum / max(seconds, spent)
    }

    /// Jobs and bytes that are left to do, without those of paused jobs.
    private func left(of load: QueueLoad) -> (jobs: Double, bytes: Double) {
        let done = uploads.values.reduce(0) { $0 + Double($1.bytesDone) }
        return (
            max(0, Double(load.live) - Double(load.counts[.paused] ?? 0)),
            max(0, Double(load.bytesLeft) - Double(load.bytesPaused) - done)
        )
    }

    /// Bytes that these jobs have still to send, without those of paused jobs.
    public func bytesLeft(of load: QueueLoad) -> Double { left(of: load).bytes }

    /// Seconds that one worker would need for these jobs, without the paused ones, at the best pace of a worker in the last hours: the number
    /// of workers to scale to is this, divided by the seconds in which the work is to be done. It does not depend on how many workers there
    /// are: where a destination or a network holds them up, more of them are slower each, and a mean pace would ask for more and more.
    /// - Returns: nil until workers were seen at work while jobs waited.
    public func workerSecondsLeft(of load: QueueLoad) -> TimeInterval? {
        let (jobs, bytes) = left(of: load)
        guard jobs > 0 else { return 0 }
        return workerPace.best(weight).map { weight.work(jobs: jobs, bytes: bytes) / $0 }
    }

    /// Seconds until of these jobs none is left but the paused ones; 0 if none is left, nil while nothing goes on.
    public func secondsLeft(of load: QueueLoad) -> TimeInterval? {
        let (jobs, bytes) = left(of: load)
        guard jobs > 0 else { return 0 }
        guard let newest = moments.lastIndex(where: { $0.signs > 0 }) else { return nil }
        let stalled = at.timeIntervalSince(moments[newest].at)
        var (work, signs, count) = (0.0, 0.0, 0.0)
        // Seconds in which this work was done, and those without a sign before it.
        var (spent, quiet) = (0.0, 0.0)
        var patience: TimeInterval { max(Self.silence, 4 * spent / count) }
        for moment in moments[...newest].reversed() {
            guard moment.signs > 0 else {
                quiet += moment.seconds
                // What went on before a pause says nothing of what goes on after it.
                if quiet >= patience { break }
                continue
            }
            (spent, quiet) = (spent + quiet + moment.seconds, 0)
            work += weight.work(jobs: moment.jobs, bytes: moment.bytes)
            (signs, count) = (signs + moment.signs, count + 1)
            if signs >= Self.enough, spent >= Self.byteSeconds { break }
        }
        guard work > 0, stalled < patience else { return nil }
        // No number of workers makes a single upload faster.
        let longest = uploads.values.compactMap(\.secondsLeft).max() ?? 0
        return max(weight.work(jobs: jobs, bytes: bytes) * (spent + stalled) / work, longest)
    }
}

/// What one worker gets done in a second, while jobs wait for it.
private struct WorkerPace: Hashable {
    private struct Sample: Hashable {
        var (jobs, bytes, signs, seconds, workerSeconds) = (0.0, 0.0, 0.0, 0.0, 0.0)
    }

    /// Seconds of a sample, and the signs that it needs at least: with as many ended jobs, chance makes it a tenth faster or slower.
    private static let (sampleSeconds, sampleSigns) = (60.0, 100.0)
    /// Samples that are kept: of two hours of work at least.
    private static let samplesMaximum = 120

    private var current = Sample()
    /// The oldest first.
    private var samples: [Sample] = []

    mutating func note(jobs: Double, bytes: Double, signs: Double, seconds: TimeInterval, workers: Int) {
        guard workers > 0 else { return }
        current.jobs += jobs
        current.bytes += bytes
        current.signs += signs
        current.seconds += seconds
        current.workerSeconds += seconds * Double(workers)
        guard current.seconds >= Self.sampleSeconds, current.signs >= Self.sampleSigns else { return }
        if samples.count == Self.samplesMaximum { samples.removeFirst() }
        samples.append(current)
        current = Sample()
    }

    /// The work of the best sample, in bytes per second.
    /// - Returns: nil while nothing is known; until the first sample is whole, what there is of it.
    func best(_ weight: JobWeight) -> Double? {
        let known = samples.isEmpty && current.signs > 0 ? [current] : samples
        let best = known.map { weight.work(jobs: $0.jobs, bytes: $0.bytes) / $0.workerSeconds }.max()
        return best.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// How many bytes cost as much time as a job itself.
///
/// While as many workers work, ended jobs times this number, plus the moved bytes, is the same in any time, however many of each there are.
/// So the number is the one with which that sum varies least, relative to its size. Where the mixture never changes nothing can be
/// learnt, and little depends on it.
private struct JobWeight: Hashable {
    /// Bytes; before anything is learnt: some milliseconds of one connection.
    private static let usual = 262_144.0
    /// The relative variance from which on what is learnt counts more than what is usual.
    private static let doubt = 0.02
    /// Seconds of a sample, and the number of samples after which an old one counts a third.
    private static let (sampleSeconds, samples) = (15.0, 120.0)

    private var (seconds, jobs, bytes) = (0.0, 0.0, 0.0)
    /// Sums over the samples, of which older ones count less.
    private var (count, sumJobs, sumBytes) = (0.0, 0.0, 0.0)
    private var (jobsSquared, bytesSquared, product) = (0.0, 0.0, 0.0)

    /// Takes what was done in some seconds.
    mutating func note(jobs: Double, bytes: Double, seconds: TimeInterval) {
        self.jobs += jobs
        self.bytes += bytes
        self.seconds += seconds
        guard self.seconds >= Self.sampleSeconds else { return }
        defer { (self.jobs, self.bytes, self.seconds) = (0, 0, 0) }
        // While nothing goes on, nothing shows what it costs.
        guard self.jobs + self.bytes > 0 else { return }
        let kept = 1 - 1 / Self.samples
        let (x, y) = (self.jobs / self.seconds, self.bytes / self.seconds)
        (count, sumJobs, sumBytes) = (count * kept + 1, sumJobs * kept + x, sumBytes * kept + y)
        jobsSquared = jobsSquared * kept + x * x
        bytesSquared = bytesSquared * kept + y * y
        product = product * kept + x * y
    }

    var bytesOfJob: Double {
        guard sumJobs > 0, sumBytes > 0 else { return Self.usual }
        // Variances and covariance of the numbers relative to their means.
        let (squaredJobs, squaredBytes) = (sumJobs * sumJobs / count, sumBytes * sumBytes / count)
        let covariance = product / (sumJobs * sumBytes / count) - 1
        let jobVariance = max(0, jobsSquared / squaredJobs - 1 - covariance)
        let byteVariance = max(0, bytesSquared / squaredBytes - 1 - covariance)
        let mean = sumBytes / sumJobs
        return (byteVariance * mean + Self.doubt * Self.usual) / (jobVariance + Self.doubt)
    }

    /// The work of jobs and bytes together, in bytes.
    func work(jobs: Double, bytes: Double) -> Double { jobs * bytesOfJob + bytes }
}

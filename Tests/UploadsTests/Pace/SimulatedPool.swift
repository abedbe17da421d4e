import Foundation
import Uploads

/// A pool of workers that carries the jobs of one queue, in steps of half a second, and what a notifier sees of it.
struct SimulatedPool {
    private struct Job {
        let id: JobID
        let size: Double
        let since: Double
        /// Bytes that have arrived.
        var done = 0.0
    }

    private struct Run {
        var job: Job
        /// Seconds until its bytes begin to move.
        var overhead: Double
        let since: Double
        /// As of its last report; nil before the first.
        var reported: (at: Double, done: Double, rate: Double)?
    }

    private static let step = 0.5

    /// Uploads at once.
    var slots: Int
    /// Bytes per second of one upload.
    var connection: Double
    /// Bytes per second of all uploads together.
    var network: Double
    /// Seconds that each job takes besides its bytes.
    var overhead: Double
    private(set) var time = 0.0
    private var waiting: ArraySlice<Job> = []
    private var runs: [Run] = []
    private var minutes: [Int: (completed: Int, bytes: Double)] = [:]

    init(slots: Int, connection: Double = 50e6, network: Double = 200e6, overhead: Double = 0.1) {
        self.slots = slots
        self.connection = connection
        self.network = network
        self.overhead = overhead
    }

    var isEmpty: Bool { waiting.isEmpty && runs.isEmpty }

    mutating func enqueue(_ sizes: [Double]) {
        waiting += sizes.map { Job(id: JobID(), size: $0.rounded(), since: time) }
    }

    /// Seconds for which the oldest job has waited that no worker has begun.
    var oldestAge: Double { waiting.first { $0.done == 0 }.map { time - $0.since } ?? 0 }

    /// Seconds until all is done if nothing changes.
    var secondsLeft: Double {
        var future = self
        while !future.isEmpty { future.advance() }
        return future.time - time
    }

    mutating func advance(by seconds: Double) {
        let end = time + seconds
        while time < end - Self.step / 2 { advance() }
    }

    private mutating func advance() {
        while runs.count > slots, var run = runs.popLast() {
            run.overhead = 0
            waiting = [run.job] + waiting
        }
        while runs.count < slots, let job = waiting.popFirst() { start(job) }
        let rate = min(connection, network / Double(max(1, runs.count { $0.overhead <= 0 })))
        time += Self.step
        for index in runs.indices.reversed() { work(at: index, rate) }
    }

    private mutating func start(_ job: Job) { runs.append(Run(job: job, overhead: overhead, since: time)) }

    /// A slot takes one job after another, as many as it finishes in a step.
    private mutating func work(at index: Int, _ rate: Double) {
        var budget = Self.step
        while budget > 0 {
            let pause = min(budget, runs[index].overhead)
            runs[index].overhead -= pause
            budget -= pause
            let bytes = min(budget * rate, runs[index].job.size - runs[index].job.done)
            runs[index].job.done += bytes
            budget -= bytes / rate
            guard runs[index].overhead <= 0, runs[index].job.done >= runs[index].job.size else { break }
            let minute = Int(time / 60)
            minutes[minute, default: (0, 0)].completed += 1
            minutes[minute, default: (0, 0)].bytes += runs[index].job.size
            guard let next = waiting.popFirst() else {
                runs.remove(at: index)
                return
            }
            runs[index] = Run(job: next, overhead: overhead, since: time)
        }
        report(index)
    }

    /// A worker reports an upload each second, from its second second on.
    private mutating func report(_ index: Int) {
        let run = runs[index]
        let last = run.reported ?? (run.since, run.job.done, 0)
        guard time - last.at >= 1 else { return }
        let rate = run.reported == nil ? 0 : (run.job.done - last.done) / (time - last.at)
        runs[index].reported = (time, run.job.done, rate)
    }

    // MARK: What a notifier sees

    var now: Date { Date(timeIntervalSince1970: 1_800_000_000 + time) }

    var load: QueueLoad {
        let bytes = waiting.reduce(0) { $0 + $1.size } + runs.reduce(0) { $0 + $1.job.size }
        let current = Int(time / 60)
        return QueueLoad(
            queue: .standard, counts: [.queued: waiting.count, .running: runs.count], bytesLeft: Int64(bytes),
            throughput: minutes.filter { $0.key >= current - 10 }.sorted { $0.key < $1.key }.map { minute, ends in
                ThroughputMinute(
                    start: Date(timeIntervalSince1970: 1_800_000_000 + Double(minute) * 60), completed: ends.completed,
                    bytes: Int64(ends.bytes))
            })
    }

    var uploads: [JobID: QueuePace.Upload] {
        Dictionary(
            uniqueKeysWithValues: runs.compactMap { run in
                run.reported.map { report in
                    let left = report.rate >= 1 ? (run.job.size - report.done) / report.rate : nil
                    return (run.job.id, QueuePace.Upload(bytesDone: Int64(report.done), secondsLeft: left))
                }
            })
    }
}

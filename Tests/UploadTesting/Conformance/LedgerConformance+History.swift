import Foundation
import Testing
import Uploads

/// How many jobs ended in the parts of a time.
extension LedgerConformance {
    static let remembering = [
        Rule("a history counts the jobs that ended, in parts of minutes and of hours") { suite in
            let ledger = try await suite.make()
            let jobs = try await end(in: ledger)
            for seconds in [60, 120, 600, 3600, 7200, 21_600] {
                for name in [nil, QueueName(unchecked: "video")] as [QueueName?] {
                    let found = try await ledger.history(
                        from: zero, until: zero + 40_000, bucketSeconds: seconds, queue: name)
                    let own = jobs.filter { name == nil || $0.job.queue == name }
                    let parts = Dictionary(grouping: own) { Int($0.at.timeIntervalSince(zero)) / seconds }
                    let wanted = parts.keys.sorted().map { part in
                        bucket(of: parts[part] ?? [], at: zero.addingTimeInterval(Double(part * seconds)))
                    }
                    #expect(found == wanted, "\(seconds)")
                }
            }
        },
        Rule("a history begins and ends with whole parts, and leaves out the first ones of too many") { suite in
            let ledger = try await suite.make()
            let jobs = try await end(in: ledger)
            func count(_ from: Double, _ until: Double, _ seconds: Int) async throws -> Int {
                try await ledger.history(
                    from: zero + from, until: zero + until, bucketSeconds: seconds, queue: nil
                ).map { $0.completed + $0.failed + $0.cancelled }.reduce(0, +)
            }
            func ended(_ from: Double, _ until: Double) -> Int {
                jobs.count { $0.at >= zero + from && $0.at < zero + until }
            }
            #expect(try await count(3600, 7200, 3600) == ended(3600, 7200))
            #expect(try await count(3700, 7100, 3600) == ended(3600, 7200))
            #expect(try await count(61, 119, 60) == ended(60, 120))
            #expect(try await count(0, 60 * 900, 60) == ended(60 * 100, 60 * 900))
            #expect(try await count(7200, 3600, 60) == 0)
            #expect(try await ledger.history(from: .distantPast, until: zero, bucketSeconds: 60, queue: nil).isEmpty)
        },
        Rule("a history holds sums of any size, and stays when jobs are removed, as long as they are kept") { suite in
            let ledger = try await suite.make()
            let large = (0..<5).map { makeJob("\($0)", size: .max) }
            let late = makeJob("late", after: 7200)
            try await record(
                large.map { event(.completed, $0) } + [event(.completed, late, after: 7200)], in: ledger, routes: [])
            func hours() async throws -> [HistoryBucket] {
                try await ledger.history(from: start, until: start + 10_800, bucketSeconds: 3600, queue: nil)
            }
            let before = try await hours()
            #expect(before.map(\.completed) == [5, 1] && before.map(\.bytes) == [.max, 5])
            ledger.settle(try await ledger.owed().map(\.id))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 5) == 5)
            #expect(try await hours() == before)
            _ = try await ledger.prune(endedBefore: start + 3600, besides: ControlView(), limit: 5)
            #expect(try await hours().map(\.start) == [start + 7200])
        },
    ]

    /// Parts of all lengths begin at this time.
    private static let zero = Date(timeIntervalSince1970: 21_600 * 83_333)

    private struct End {
        var job: UploadJob
        var kind: EventKind
        var at: Date
    }

    private static func bucket(of ends: [End], at start: Date) -> HistoryBucket {
        var bucket = HistoryBucket(start: start)
        bucket.completed = ends.count { $0.kind == .completed }
        bucket.failed = ends.count { $0.kind == .failed }
        bucket.cancelled = ends.count { $0.kind == .cancelled }
        for end in ends where end.kind == .completed { bucket.bytes += end.job.size }
        return bucket
    }

    /// Records the ends of jobs, over ten hours.
    private static func end(in ledger: any Ports) async throws -> [End] {
        let kinds: [EventKind] = [.completed, .failed, .completed, .cancelled]
        let ended = (0..<60).map { number in
            let job = makeJob(
                "\(number)", queue: ["default", "video", "rare"][number % 3], size: Int64(number + 1))
            return End(job: job, kind: kinds[number % 4], at: zero.addingTimeInterval(Double(number * number * 10)))
        }
        for part in [ended.prefix(31), ended.dropFirst(31)] {
            try await record(
                part.map { event($0.kind, $0.job, after: $0.at.timeIntervalSince(start)) }, in: ledger, routes: [])
        }
        return ended
    }
}

import Foundation
import Testing
import UploadTesting
import Uploads

/// Many jobs while programs die and connections break at random. `LONGSHORE_SOAK_JOBS` (60 if not set) and
/// `LONGSHORE_SOAK_MINUTES` (one batch of jobs if not set; otherwise batch after batch until then) make it longer;
/// `LONGSHORE_SOAK_SEED` repeats the choices of a run, though not the moments at which they meet the programs.
@Suite(.serialized, .timeLimit(.minutes(24 * 60))) struct ManyJobsTests {
    private struct Count {
        var jobs = 0
        var workerKills = 0
        var notifierKills = 0
        var brokerCuts = 0
        var serverCuts = 0
    }

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["LONGSHORE_SOAK_\(name)"].flatMap { Int($0) }
    }

    /// Sizes in bytes for all three ways: in the message, in one request, in several parts.
    private static let sizes = [0, 1, 20_000, 32_769, 500_000, 9 << 20, 17 << 20, (24 << 20) + 1]

    /// Where the copies go. A place in a bucket has its turn in the soak.
    private static let stagings =
        setting("MINUTES") == nil ? [nil] : [nil, "stage:copies/"]

    @Test(arguments: stagings) func whateverDiesEveryJobEndsOnceAndEveryObjectIsWhole(staging: String?) async throws {
        let seed = Self.setting("SEED").map { UInt64(clamping: $0) } ?? .random(in: 0...UInt64(UInt32.max))
        var random = SeededGenerator(seed: seed)
        let batch = Self.setting("JOBS") ?? 60
        let end = ContinuousClock.now + .seconds(60 * (Self.setting("MINUTES") ?? 0))
        print("many jobs: seed \(seed), \(batch) at a time")
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 24 << 20) }
        let stage = try await S3Bucket.make()
        defer { stage.proxy.stop() }
        let destinations = [bucket.destination(), stage.destination(name: "stage")]
        try await Deployment.with(destinations: destinations) { deployment in
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            defer { proxy.stop() }
            let staged = staging.map { ["--staging", $0] } ?? []
            let through = ["--broker", proxy.url] + staged
            var notifier = try deployment.start(.notifier, through)
            var workers = try (0..<3).map { _ in try deployment.start(.worker, through) }
            let files = try Self.sizes.map { try deployment.makeFile("size-\($0)", bytes: $0) }
            let digests = try await deployment.digests(of: files)
            var count = Count()
            var ids: Set<String> = []
            repeat {
                for _ in 0..<batch {
                    let size = Int.random(in: Self.sizes.indices, using: &random)
                    ids.formUnion(
                        try await deployment.enqueue(
                            staged + ["--to", "bucket:\(count.jobs)-\(size)", files[size].path]))
                    count.jobs += 1
                    // The faults happen while new jobs arrive and others run.
                    guard count.jobs.isMultiple(of: 3) else { continue }
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<5:
                        let victim = Int.random(in: workers.indices, using: &random)
                        workers[victim].killAndWait()
                        workers[victim] = try deployment.start(.worker, through)
                        count.workerKills += 1
                    case 5..<7:
                        notifier.killAndWait()
                        notifier = try deployment.start(.notifier, through)
                        count.notifierKills += 1
                    case 7..<9:
                        proxy.cut()
                        count.brokerCuts += 1
                    default:
                        bucket.proxy.cut()
                        stage.proxy.cut()
                        count.serverCuts += 1
                    }
                    // Waits for messages and parts, because a job that is interrupted five times without having sent a part is
                    // poisoned, and rightly.
                    let steps = proxy.steps.count + Int.random(in: 10...60, using: &random)
                    let parts = bucket.wholePartCount + 4
                    try await eventually("something has gone on") {
                        if try deployment.toldCount() >= count.jobs { return true }
                        return proxy.steps.count >= steps && bucket.wholePartCount >= parts
                    }
                }
                try await eventually("every job has an outcome") {
                    guard try deployment.toldCount() >= ids.count else { return false }
                    return Set(try deployment.toldOutcomes().compactMap { $0["subject"] as? String }) == ids
                }
            } while ContinuousClock.now < end
            try await deployment.expectNothingLeftOnTheBroker(watched: [proxy])
            try await check(deployment, bucket, ids, digests)
            try report(count, deployment, bucket, proxy)
            guard staging != nil else { return }
            let copies = try await stage.observer.listKeys(stage.name).filter { $0 != "copies/longshore-area" }
            // The worker that dies between an end and the removal leaves a copy, with or without its digests, to the sweep.
            #expect(copies.count <= 2 * count.workerKills, "\(copies.count) copies are left")
            print("many jobs: \(copies.count) objects left in the staging area")
        }
    }

    private func check(
        _ deployment: Deployment, _ bucket: S3Bucket, _ ids: Set<String>, _ digests: [String]
    ) async throws {
        let told = try deployment.toldOutcomes()
        #expect(Set(told.compactMap { $0["subject"] as? String }) == ids)
        // At least once, but always the same: a restarted notifier may deliver an outcome again under the same id.
        #expect(Set(told.compactMap { $0["id"] as? String }).count == ids.count)
        let failed = told.filter { $0["type"] as? String != "upload.completed" }
        #expect(failed.isEmpty)
        let rows = try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status")
        #expect(rows == ["completed|\(ids.count)"])
        let keys = try await bucket.observer.listKeys(bucket.name)
        #expect(keys.count == ids.count)
        for key in keys {
            let size = try #require(Int(key.split(separator: "-").last ?? ""))
            #expect(try await bucket.observer.sha256(bucket.name, key) == digests[size], "\(key)")
        }
    }

    private func report(
        _ count: Count, _ deployment: Deployment, _ bucket: S3Bucket, _ proxy: AMQPFaultProxy
    ) throws {
        let resent = bucket.proxy.requests.filter(\.isBodyWhole)
            .reduce(into: [String: Int]()) { counts, record in
                if record.request.partNumber != nil { counts[record.target, default: 0] += 1 }
            }.values.reduce(0) { $0 + $1 - 1 }
        let suspects = proxy.steps.filter { step in
            guard case .publish(let message) = step, message.exchange.isEmpty else { return false }
            return String(decoding: message.body, as: UTF8.self).contains("upload.suspect")
        }.count
        let copies = deployment.stagedFiles().filter { !$0.hasSuffix(".blocks") }.count
        let told = try deployment.toldOutcomes().count
        let bytes = bucket.proxy.bodyBytesSent
        // This ignores the bodies of completing requests, which have some hundred bytes.
        let needed = try deployment.toldOutcomes().reduce(into: [String: Int]()) { sizes, outcome in
            let job = (outcome["data"] as? [String: Any])?["job"] as? [String: Any]
            sizes[outcome["subject"] as? String ?? ""] = job?["size"] as? Int ?? 0
        }.values.reduce(0, +)
        let issued = try deployment.queryLedger(
            "SELECT SUM(json_extract(plain(record), '$.baton.generation') - 1) FROM jobs"
        ).first.flatMap { Int($0) }
        print(
            "many jobs: \(count.jobs) jobs of \(needed >> 20) MiB; \(count.workerKills) workers and \(count.notifierKills) notifiers killed,",
            "\(count.brokerCuts) cuts at the broker, \(count.serverCuts) at the server; \(resent) parts sent again,",
            "\(max(0, bytes - needed) >> 20) MiB more than the files, \(suspects) suspects, of which \(issued ?? 0) were issued",
            "anew and \(suspects - (issued ?? 0)) came to nothing, \(told - count.jobs) outcomes told again, \(copies) copies left to the sweep"
        )
    }
}

extension S3Bucket {
    /// The number of parts that the server has received completely.
    fileprivate var wholePartCount: Int { proxy.requests.count { $0.isBodyWhole && $0.request.partNumber != nil } }
}

import Foundation
import Synchronization
import Testing
import UploadTesting

/// Each fault of `faults.json` hits one upload to a bucket, and the upload ends once, with a complete object.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DestinationFaultTests {
    /// All faults run in one deployment, one after the other: the test checks the effect of each fault on its own upload, and an upload
    /// that hangs disturbs the next one.
    @Test func whateverTheServerAnswersTheUploadEndsOnceAndWhole() async throws {
        let faults = try DestinationFault.all()
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        // With these timeouts a stall is noticed within seconds.
        let line = bucket.destination(more: ", answerTimeout: 3s, stallTimeout: 3s")
        try await Deployment.with(destinations: [line]) { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--concurrency", "4"])
            let large = try deployment.makeFile("large.bin", bytes: 3 * 8 << 20)
            let small = try deployment.makeFile("small.bin", bytes: 400_000)
            let digests = try await deployment.digests(of: [large, small])
            for (number, fault) in faults.enumerated() {
                let key = "fault-\(number)"
                let isSmall = fault.on == .put
                let hits = Counter()
                bucket.proxy.setRule(
                    fault.rule(hits: hits) { id in
                        let isGone = DispatchSemaphore(value: 0)
                        Task {
                            try? await bucket.observer.abort(bucket.name, key, id)
                            isGone.signal()
                        }
                        isGone.wait()
                    })
                let clock = ContinuousClock.now
                let id = try #require(
                    try await deployment.enqueue(["--to", "bucket:\(key)", isSmall ? small.path : large.path]).first)
                let outcome = try await deployment.waitForOutcome(of: id)
                let data = outcome["data"] as? [String: Any]
                #expect(outcome["type"] as? String == "upload.completed", "\(fault.name): \(data?["error"] ?? "")")
                #expect(hits.count == fault.times ?? 1, "\(fault.name) was not met as often as it should be")
                #expect(
                    try await bucket.observer.sha256(bucket.name, key) == digests[isSmall ? 1 : 0], "\(fault.name)")
                print("\(fault.name): \(data?["attempts"] ?? "?") attempts, \(ContinuousClock.now - clock)")
            }
            #expect(worker.isRunning)
            let told = try deployment.toldOutcomes().map { $0["subject"] as? String ?? "" }
            #expect(told.count == faults.count, "told \(told)")
            #expect(deployment.stagedFiles() == [])
        }
    }
}

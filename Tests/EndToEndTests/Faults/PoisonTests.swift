import Foundation
import RabbitMQ
import Synchronization
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// A job whose worker dies each time, and messages that no program can handle: they end with a reason, and disturb no other job.
@Suite(.serialized, .timeLimit(.minutes(40))) struct PoisonTests {
    private static let neighbours = 16

    @Test func aJobThatKillsItsWorkersRunsAloneAndThenEndsWhileItsNeighboursArrive() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        // So slowly that a job runs for seconds, beside others.
        bucket.proxy.setRule { request in
            .throttle(bytesPerSecond: request.path.hasSuffix("/poison") ? 200_000 : 1 << 20)
        }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            defer { proxy.stop() }
            let arguments = ["--broker", proxy.url, "--concurrency", "4"]
            try deployment.start(.notifier)
            var worker = try deployment.start(.worker, arguments)
            // More than the kernel's buffers, which would still send their bytes after the worker's death.
            let poison = try deployment.makeFile("poison", bytes: 15 << 20)
            let id = try #require(try await deployment.enqueue(["--to", "bucket:poison", poison.path]).first)
            for number in 0..<Self.neighbours {
                _ = try deployment.makeFile("beside/\(number)", bytes: number < 4 ? 4 << 20 : 400_000)
            }
            let folder = deployment.path.appending(path: "files/beside")
            let others = try await deployment.enqueue(["--to", "bucket:beside/", folder.path])
            #expect(others.count == Self.neighbours)

            var beside: [Int] = []
            for kill in 1...5 {
                try await eventually("the job is under way for the \(kill). time") {
                    started(id, in: proxy) >= kill
                        && bucket.proxy.requests.contains { $0.request.path.hasSuffix("/poison") && $0.bodyBytes > 0 }
                }
                // Counts the requests that are neither answered nor given up; requests of an earlier worker are forgotten.
                beside.append(
                    bucket.proxy.requests.count {
                        $0.method == "PUT" && !$0.request.path.hasSuffix("/poison") && $0.status == nil
                    })
                worker.killAndWait()
                bucket.proxy.forget()
                worker = try deployment.start(.worker, arguments)
            }
            #expect(beside[0] > 0, "nothing ran beside the job, so nothing is shown")
            #expect(beside[2...].allSatisfy { $0 == 0 }, "\(beside) ran beside the job at its kills")

            let told = try await deployment.waitForOutcomes(Self.neighbours + 1)
            try await deployment.expectNothingLeftOnTheBroker(watched: [proxy])
            #expect(worker.errorText.isEmpty == false)
            #expect(started(id, in: proxy) == 5, "it was worked on after its end")
            #expect(try deployment.toldOutcomes().count == told.count)
            let ends = told.filter { $0["subject"] as? String == id }
            #expect(ends.count == 1 && ends.first?["type"] as? String == "upload.failed")
            let error = (ends.first?["data"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "poisoned", "\(error ?? [:])")
            #expect((error?["message"] as? String)?.contains("5 workers stopped") ?? false, "\(error ?? [:])")
            let arrived = told.filter { $0["type"] as? String == "upload.completed" }
            #expect(Set(arrived.compactMap { $0["subject"] as? String }) == Set(others))
            #expect(arrived.count == Self.neighbours)
            #expect(try await bucket.observer.listKeys(bucket.name).count == Self.neighbours)
            print("poison: \(beside) neighbours ran beside the job when its worker was killed")
        }
    }

    /// The number of `started` records of this job that the broker has confirmed.
    private func started(_ id: String, in proxy: AMQPFaultProxy) -> Int {
        proxy.steps.reduce(0) { sum, step in
            guard case .confirm(let messages) = step else { return sum }
            return sum
                + messages.count {
                    $0.routingKey.hasPrefix("started.") && String(decoding: $0.body, as: UTF8.self).contains(id)
                }
        }
    }

    @Test func whatNobodyCanReadIsSetAsideWithItsReasonWhereverItCameIn() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            let file = try deployment.makeFile("f", bytes: 100_000)
            _ = try await deployment.enqueue(["--to", "local:first", "--wait", file.path])
            let topology = try deployment.topology
            let lane = topology.laneQueue(.standard, .normal)
            try await deployment.withBroker { connection in
                let channel = try await connection.openChannel()
                // Into a lane, the notifier's queue, and the foot of the ladder with a lane that does not exist.
                for (exchange, key, type) in [
                    ("", lane, "upload.job.v1"), ("", lane, "upload.completed"),
                    ("", topology.notifier(0), "upload.job.v1"),
                    (topology.due, "nowhere.normal", "upload.baton.v1"),
                ] {
                    let body = Data("{no job for \(exchange) \(key) \(type)".utf8)
                    try await channel.publish(Message(body: body, type: type), to: exchange, routingKey: key)
                }
            }
            try await eventually("all are in the ledger") {
                try deployment.queryLedger("SELECT COUNT(*) FROM unreadable") == ["4"]
            }
            let reasons = try deployment.queryLedger("SELECT reason FROM unreadable")
            #expect(reasons.allSatisfy { $0.count > 10 }, "\(reasons)")
            let bodies = try deployment.queryLedger("SELECT CAST(body AS TEXT) FROM unreadable")
            #expect(bodies.allSatisfy { $0.hasPrefix("{no job for ") }, "\(bodies)")
            #expect(worker.errorText.contains("dead letter"), "\(worker.errorText)")
            // No other job is delayed, and no message circles.
            _ = try await deployment.enqueue(["--to", "local:second", "--wait", file.path])
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
            #expect(try deployment.queryLedger("SELECT COUNT(*) FROM unreadable") == ["4"])
        }
    }

    /// The job's transfer queue is deleted while the job waits on the ladder.
    @Test func aJobWithoutALaneIsRecordedWithItsReasonAndIssuedAnew() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            // The worker declares its lanes, which the helpers inspect.
            try deployment.start(.worker)
            let queue = try QueueName("gone-\(UniqueNames.make())")
            let worker = try deployment.start(.worker, ["--queue", queue.rawValue])
            let file = try deployment.makeFile("f", bytes: 100_000)
            let id = try #require(
                try await deployment.enqueue(
                    ["--to", "local:", "--queue", queue.rawValue, "--after", "4s", file.path]
                ).first)
            try await deployment.waitForStatus("waiting", of: id)
            #expect(await worker.stop() == 0)
            let lanes = try deployment.topology.lanes(of: queue)
            try await deployment.withBroker { try await $0.delete(Topology(queues: lanes.queues)) }
            try await eventually("the job is recorded as one that no lane takes") {
                try deployment.queryLedger(
                    """
                    SELECT COUNT(*) FROM events WHERE plain(body) LIKE '%\(id)%'
                    AND plain(body) LIKE '%its transfer queue does not exist%'
                    """) == ["1"]
            }
            try deployment.start(.worker, ["--queue", queue.rawValue])
            let told = try await deployment.waitForOutcomes(1)
            #expect(told.first?["type"] as? String == "upload.completed")
            #expect(told.first?["subject"] as? String == id)
            try deployment.expectArrived("f", like: file)
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
            try await deployment.withBroker { try await $0.delete(Topology(queues: lanes.queues)) }
        }
    }
}

import Dispatch
import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// Operators, alarms and networks disturb the broker during an upload.
@Suite(.serialized, .timeLimit(.minutes(40))) struct BrokerFaultTests {
    private static let part = 8 << 20

    /// Runs the body with a node of its own and short heartbeats, so that silence is noticed within seconds. Answers of the destination
    /// may take as long as a command to the node takes on a busy machine.
    private func with(
        _ body: (Deployment, S3Bucket, BrokerNode) async throws -> Void
    ) async throws {
        let bucket = try await S3Bucket.make()
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 2 << 20) }
        defer { bucket.proxy.stop() }
        let broker = try await BrokerNode.start(configuration: "heartbeat = 2\n")
        do {
            // The producer's patience is as long as a test may take, so nothing goes to the outbox.
            try await Deployment.with(
                broker: broker, destinations: [bucket.destination(more: ", answerTimeout: 10m, stallTimeout: 10m")],
                configuration: ["brokerPatience: 10m", "worker: {grace: 5s}"]
            ) { try await body($0, bucket, broker) }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    /// Sets the consumer timeout for channels that are opened from now on; the broker checks it every half second.
    private func setConsumerTimeout(_ limit: Duration, _ broker: BrokerNode) async throws {
        let milliseconds = limit.components.seconds * 1000
        try await broker.ctl(
            "eval",
            "application:set_env(rabbit, consumer_timeout, \(milliseconds)), "
                + "application:set_env(rabbit, channel_tick_interval, 500).")
    }

    /// Enqueues a file of six parts and returns when the first part has arrived.
    private func begin(_ deployment: Deployment, _ bucket: S3Bucket) async throws -> (file: URL, id: String) {
        let file = try deployment.makeFile("large.bin", bytes: 6 * Self.part)
        let ids = try await deployment.enqueue(["--to", "bucket:", file.path])
        try await eventually("the upload is under way") { !bucket.proxy.partsSent.isEmpty }
        #expect(bucket.proxy.partsSent.count < 6, "the upload ended before the fault")
        return (file, try #require(ids.first))
    }

    private func expectWhole(_ key: String, _ file: URL, _ deployment: Deployment, _ bucket: S3Bucket) async throws {
        #expect(try await bucket.observer.sha256(bucket.name, key) == deployment.digests(of: [file]).first)
    }

    /// Another job completes, and each of the two jobs has one outcome.
    private func expectOneMore(_ deployment: Deployment, _ bucket: S3Bucket, after id: String) async throws {
        let file = try deployment.makeFile("after.bin", bytes: 100_000)
        let ids = try await deployment.enqueue(["--to", "bucket:", "--wait", file.path])
        let told = try await deployment.waitForOutcomes(2)
        #expect(told.map { $0["subject"] as? String } == [id, ids.first])
        #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
        try await expectWhole("after.bin", file, deployment, bucket)
        #expect(try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|2"])
        #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        #expect(deployment.stagedFiles() == [])
    }

    @Test func connectionsClosedByTheOperatorAreOpenedAgainAndTheUploadGoesOn() async throws {
        try await with { deployment, bucket, broker in
            let programs = [try deployment.start(.notifier), try deployment.start(.worker)]
            let (file, id) = try await begin(deployment, bucket)
            for _ in 0..<2 { try await broker.ctl("close_all_connections", "maintenance") }
            _ = try await deployment.waitForOutcomes(1)
            try await expectWhole("large.bin", file, deployment, bucket)
            #expect(programs.allSatisfy { $0.isRunning })
            try await expectOneMore(deployment, bucket, after: id)
        }
    }

    @Test func duringAMemoryAlarmEverybodyWaitsAndNothingFails() async throws {
        try await with { deployment, bucket, broker in
            let programs = [try deployment.start(.notifier), try deployment.start(.worker)]
            // On a machine of any speed, the worker sends the completing request before the alarm, for which it may have to ask the control
            // log, and gets the answer only after the alarm.
            let alarm = DispatchSemaphore(value: 0)
            defer { alarm.signal() }
            bucket.proxy.setRule { request in
                if request.partNumber != nil { return .throttle(bytesPerSecond: 2 << 20) }
                guard request.method == "POST", request.query["uploadId"] != nil else { return .forward }
                return .rewriteAnswer { _ in
                    alarm.wait()
                    alarm.signal()
                }
            }
            let (file, id) = try await begin(deployment, bucket)
            try await eventually("the completing request is sent") {
                bucket.proxy.requests.contains { $0.request.method == "POST" && $0.request.query["uploadId"] != nil }
            }
            try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
            for program in programs {
                try await eventually("\(program.name) is not ready") {
                    try await program.readiness().hasPrefix("not ready: the broker takes no messages: ")
                }
            }
            alarm.signal()
            try await eventually("the object is whole") {
                try await bucket.observer.head(bucket.name, "large.bin") != nil
            }
            let waiting = try deployment.makeFile("after.bin", bytes: 100_000)
            let enqueued = try deployment.start(.enqueue, ["--to", "bucket:", "--wait", waiting.path])
            try await eventually("the next file is staged") { deployment.stagedFiles().count > 2 }
            #expect(try deployment.toldOutcomes().isEmpty, "an outcome was told though no worker could publish its end")
            try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
            for program in programs {
                try await eventually("\(program.name) is ready again") { try await program.readiness() == "ready\n" }
            }
            #expect(await enqueued.wait() == 0, "\(enqueued.errorText)")
            let told = try await deployment.waitForOutcomes(2)
            #expect(told.count == 2 && told.first?["subject"] as? String == id)
            #expect(told.allSatisfy { ($0["data"] as? [String: Any])?["attempts"] as? Int == 0 })
            try await expectWhole("large.bin", file, deployment, bucket)
            try await expectWhole("after.bin", waiting, deployment, bucket)
            try await leave(programs[1], deployment, bucket, broker)
        }
    }

    /// Stops the worker while it cannot publish the end of an upload. It exits within its grace, and another worker settles the job.
    private func leave(
        _ worker: RunningProgram, _ deployment: Deployment, _ bucket: S3Bucket, _ broker: BrokerNode
    ) async throws {
        let alarm = DispatchSemaphore(value: 0)
        defer { alarm.signal() }
        bucket.proxy.setRule { request in
            guard request.method == "PUT" else { return .forward }
            return .rewriteAnswer { _ in
                alarm.wait()
                alarm.signal()
            }
        }
        let file = try deployment.makeFile("last.bin", bytes: 100_000)
        let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
        try await eventually("the object is whole") { try await bucket.observer.head(bucket.name, "last.bin") != nil }
        try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
        try await eventually("the worker is not ready") {
            try await worker.readiness().hasPrefix("not ready: the broker takes no messages: ")
        }
        alarm.signal()
        try await eventually("the worker has the answer") {
            bucket.proxy.requests.contains { $0.request.path.hasSuffix("/last.bin") && $0.status == 200 }
        }
        #expect(await worker.stop() == 0, "\(worker.errorText)")
        #expect(worker.errorText.contains("The grace is used up"), "\(worker.errorText)")
        try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
        try deployment.start(.worker)
        let told = try await deployment.waitForOutcomes(3)
        #expect(told.count == 3 && told.last?["subject"] as? String == id)
        #expect(told.last.map { $0["type"] as? String } == "upload.completed")
        try await expectWhole("last.bin", file, deployment, bucket)
    }

    @Test func readinessSaysWhatTheBrokerLacks() async throws {
        let broker = try await BrokerNode.start()
        do {
            try await Deployment.with(broker: broker) { deployment in
                let programs = [try deployment.start(.notifier), try deployment.start(.worker)]
                func eventually(_ readiness: String) async throws {
                    for program in programs {
                        try await UploadTesting.eventually("\(program.name): \(readiness)") {
                            try await program.readiness().hasPrefix(readiness)
                        }
                    }
                }
                try await eventually("ready\n")
                try await broker.ctl("set_disk_free_limit", "900000GB")
                try await eventually("not ready: the broker takes no messages: ")
                try await broker.ctl("set_disk_free_limit", "1MB")
                try await eventually("ready\n")
                broker.pause()
                try await eventually("not ready: the broker takes no messages: ")
                broker.resume()
                try await eventually("ready\n")
                try await broker.stopApp()
                try await eventually("not ready: the connection to the broker is lost, reconnecting: ")
                try await broker.startApp()
                try await eventually("ready\n")
            }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    @Test func lanesDeletedUnderAWorkerAreDeclaredAgainAndWhatItHoldsEnds() async throws {
        try await with { deployment, bucket, _ in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            let (file, id) = try await begin(deployment, bucket)
            let lanes = try deployment.topology.lanes(of: .standard)
            try await deployment.withBroker { connection in
                try await connection.delete(Topology(queues: lanes.queues))
                try await eventually("the lanes are there again") {
                    // A passive declaration of a missing queue closes the channel.
                    let channel = try await connection.openChannel()
                    for lane in lanes.queues {
                        do { _ = try await channel.messageCount(of: lane.name) } catch { return false }
                    }
                    return true
                }
            }
            _ = try await deployment.waitForOutcomes(1)
            try await expectWhole("large.bin", file, deployment, bucket)
            #expect(worker.isRunning)
            try await expectOneMore(deployment, bucket, after: id)
        }
    }

    @Test func anUploadMayTakeSeveralTimesTheConsumerTimeoutWhenItsSlicesFit() async throws {
        try await with { deployment, bucket, broker in
            try await setConsumerTimeout(.seconds(6), broker)
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--slice", "1s", "--parts", "1"])
            bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 3 << 20) }
            let (file, id) = try await begin(deployment, bucket)
            let data = try #require(try await deployment.waitForOutcomes(1).first?["data"] as? [String: Any])
            #expect(data["attempts"] as? Int == 0)
            #expect(data["generation"] as? Int == 1, "a delivery was held for too long")
            #expect(data["bytesSent"] as? Int == 6 * Self.part)
            #expect(!worker.errorText.contains("consumer_timeout"))
            try await expectWhole("large.bin", file, deployment, bucket)
            try await expectOneMore(deployment, bucket, after: id)
        }
    }

    @Test func aSliceLongerThanTheConsumerTimeoutIsExplainedAndTheUploadEndsAllTheSame() async throws {
        try await with { deployment, bucket, broker in
            // A part takes 4 s, all six parts take 24 s.
            try await setConsumerTimeout(.seconds(10), broker)
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--parts", "1"])
            let (file, id) = try await begin(deployment, bucket)
            _ = try await deployment.waitForOutcomes(1)
            try await expectWhole("large.bin", file, deployment, bucket)
            #expect(worker.isRunning)
            #expect(worker.errorText.contains("consumer_timeout"), "\(worker.errorText.suffix(2000))")
            try await expectOneMore(deployment, bucket, after: id)
        }
    }

    /// The single request would take 32 s, and the broker allows 12 s; the worker's other jobs go on.
    @Test func whatGoesUpInOnePieceFailsInTimeAndTakesNothingAlong() async throws {
        let web = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: web.port)
        proxy.setRule { _ in .throttle(bytesPerSecond: 256 << 10) }
        defer { proxy.stop() }
        let bucket = try await S3Bucket.make()
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 3 << 20) }
        defer { bucket.proxy.stop() }
        let broker = try await BrokerNode.start()
        try await setConsumerTimeout(.seconds(12), broker)
        let destinations = [bucket.destination(), "web: {driver: http, url: '\(proxy.url)/'}"]
        try await Deployment.with(broker: broker, destinations: destinations, configuration: ["consumerTimeout: 12s"]) {
            deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            let (file, id) = try await begin(deployment, bucket)
            let slow = try deployment.makeFile("slow.bin", bytes: 8 << 20)
            let slowID = try #require(try await deployment.enqueue(["--to", "web:", slow.path]).first)
            let told = try await deployment.waitForOutcomes(2)
            let failed = try #require(told.first { $0["subject"] as? String == slowID })
            #expect(failed["type"] as? String == "upload.failed")
            let error = (failed["data"] as? [String: Any])?["error"] as? [String: Any]
            #expect((error?["message"] as? String)?.contains("consumerTimeout") == true, "\(failed)")
            let carried = try #require(told.first { $0["subject"] as? String == id }?["data"] as? [String: Any])
            #expect(carried["attempts"] as? Int == 0 && carried["generation"] as? Int == 1)
            #expect(!worker.errorText.contains("lane interrupted"), "\(worker.errorText.suffix(2000))")
            try await expectWhole("large.bin", file, deployment, bucket)
        }
        try await broker.stop()
    }

    @Test func aQuietNetworkIsNoticedByHeartbeatsAndAnotherWorkerGoesOn() async throws {
        try await with { deployment, bucket, broker in
            let proxy = try AMQPFaultProxy(to: broker.port)
            defer { proxy.stop() }
            try deployment.start(.notifier)
            let cutOff = try deployment.start(.worker, ["--broker", proxy.url])
            let (file, id) = try await begin(deployment, bucket)
            proxy.stall()
            let other = try deployment.start(.worker)
            _ = try await deployment.waitForOutcomes(1)
            try await expectWhole("large.bin", file, deployment, bucket)
            proxy.heal()
            #expect(await other.stop() == 0)
            #expect(cutOff.isRunning)
            // The worker that was cut off carries it.
            try await expectOneMore(deployment, bucket, after: id)
        }
    }
}

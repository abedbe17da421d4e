import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// The notifier keeps the jobs that the broker drops or cannot route, and issues them when that is possible.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DroppedJobTests {
    private static let count = 20

    /// An operator's policy on the lanes drops the jobs while no worker runs.
    @Test(arguments: [#"{"message-ttl":300}"#, #"{"max-length":1,"overflow":"drop-head"}"#])
    func aPolicyThatDropsJobsFailsNoneOfThem(definition: String) async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let policy = "drop-\(deployment.namespace)"
            let pattern = "^\(NSRegularExpression.escapedPattern(for: deployment.namespace))\\.jobs\\."
            try await deployment.broker.ctl("set_policy", policy, pattern, definition, "--apply-to", "queues")
            for number in 0..<Self.count { _ = try deployment.makeFile("all/\(number)", bytes: 1000) }
            let folder = deployment.path.appending(path: "files/all")
            let ids = try await deployment.enqueue(["--to", "local:", folder.path])
            #expect(ids.count == Self.count)
            // A lane with room for one job keeps the last one.
            let dropped = definition.contains("ttl") ? Self.count : Self.count - 1
            try await eventually("the dropped jobs are held") {
                guard try deployment.hasTable("holds") else { return false }
                return try deployment.queryLedger("SELECT count(*) FROM holds WHERE needs_worker") == ["\(dropped)"]
            }
            let key = definition.contains("ttl") ? "message-ttl" : "max-length"
            try await eventually("a warning names the policy") {
                notifier.errorText.contains("the broker drops jobs") && notifier.errorText.contains(key)
            }
            let held = try #require(try deployment.queryLedger("SELECT job FROM holds LIMIT 1").first)
            let story = try await deployment.control([
                "job", held, "-o", "json", "--api", "http://127.0.0.1:\(try #require(notifier.port))",
            ])
            #expect(story.outputText.contains(#""dropped""#), "\(story.outputText)")
            #expect(story.outputText.contains(key) && story.outputText.contains("rabbitmqctl clear_policy"))

            try await deployment.broker.ctl("clear_policy", policy)
            try deployment.start(.worker)
            let told = try await deployment.waitForOutcomes(Self.count)
            #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" }, "\(told)")
            #expect(Set(told.compactMap { $0["subject"] as? String }) == Set(ids))
            #expect(try deployment.queryLedger("SELECT count(*) FROM holds") == ["0"])
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
        }
    }

    enum Order: CaseIterable { case notifierFirst, notifierRestarted, workerBeforeNotifier }

    /// A producer in any language publishes to a transfer queue that the broker does not know.
    @Test(arguments: Order.allCases)
    func aJobToAQueueThatNoWorkerHasDeclaredRunsOnceAWorkerServesIt(order: Order) async throws {
        try await Deployment.with { deployment in
            let queue = try QueueName("later-\(UniqueNames.make())")
            let topology = try deployment.topology
            // The worker declares its lanes, which the helpers inspect.
            try deployment.start(.worker)
            var notifier = order == .workerBeforeNotifier ? nil : try deployment.start(.notifier)
            let job = UploadJob(
                queue: queue, source: .inline(Data("hello".utf8)),
                destination: .named(try DestinationName("local"), key: "later"), size: 5, enqueuedAt: Date())
            try await deployment.withBroker { connection in
                try await connection.define(topology.foundation)
                let channel = try await connection.openChannel()
                try await channel.publish(
                    try WireFormat.message(job: job), to: topology.submit,
                    routingKey: topology.laneKey(queue, .normal, job.id), isMandatory: true)
            }
            if let running = notifier {
                try await eventually("the job is held for its queue") {
                    guard try deployment.hasTable("holds") else { return false }
                    return try deployment.queryLedger("SELECT queue FROM holds") == [queue.rawValue]
                }
                let story = try await deployment.control([
                    "job", job.id.rawValue, "-o", "json", "--api", "http://127.0.0.1:\(try #require(running.port))",
                ])
                #expect(story.outputText.contains(#""noWorker""#), "\(story.outputText)")
                #expect(story.outputText.contains("upload-worker --queue \(queue)"), "\(story.outputText)")
                if order == .notifierRestarted {
                    #expect(await running.stop() == 0)
                    notifier = nil
                }
            }
            // No program declares queues for a name that came with a job.
            let declared = try await deployment.broker.ctl("list_queues", "name")
            #expect(!declared.contains(queue.rawValue), "\(declared)")
            try deployment.start(.worker, ["--queue", queue.rawValue])
            if notifier == nil { try deployment.start(.notifier) }
            let told = try await deployment.waitForOutcomes(1)
            #expect(told.first?["type"] as? String == "upload.completed", "\(told)")
            #expect(told.first?["subject"] as? String == job.id.rawValue)
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
            try await deployment.withBroker { try await $0.delete(Topology(queues: topology.lanes(of: queue).queues)) }
        }
    }
}

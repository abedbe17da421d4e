import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct TopologyTests {
    let topology: UploadTopology
    init() throws { topology = try UploadTopology(namespace: "upload") }

    private func queue(_ name: String) throws -> Queue {
        let all = topology.shared + topology.lanes(of: .standard)
        return try #require(all.queues.first { $0.name == name })
    }

    @Test(arguments: ["", "Upload", "a b", "a/b", "ü", String(repeating: "a", count: 65)])
    func `a namespace that cannot stand in names is refused with what is allowed`(_ text: String) {
        let error = #expect(throws: UploadError.self) { try UploadTopology(namespace: text) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("a-z") == true)
    }

    @Test func `everything durable is a quorum queue, and the control log a stream`() {
        for queue in (topology.shared + topology.lanes(of: .standard)).queues {
            let kind = queue.arguments["x-queue-type"]?.string
            #expect(kind == (queue.name == "upload.control" ? "stream" : "quorum"), "\(queue.name)")
            #expect(queue.durable && !queue.autoDelete && !queue.exclusive, "\(queue.name)")
        }
    }

    @Test func `every name begins with the namespace and a dot`() {
        let all = topology.shared + topology.lanes(of: .standard)
        for name in all.queues.map(\.name) + all.exchanges.map(\.name) { #expect(name.hasPrefix("upload."), "\(name)") }
    }

    @Test func `a lane loses nothing: 20 deliveries, then confirmed into the dead letters`() throws {
        for lane in ["urgent", "continued", "normal", "bulk"] {
            let arguments = try queue("upload.jobs.default.\(lane)").arguments
            #expect(arguments["x-delivery-limit"]?.integer == 20)
            #expect(arguments["x-dead-letter-exchange"]?.string == "upload.dead")
            #expect(arguments["x-dead-letter-strategy"]?.string == "at-least-once")
            #expect(arguments["x-overflow"]?.string == "reject-publish")
        }
    }

    @Test func `what no lane takes goes to the dead letters, at once and after a wait`() throws {
        for name in ["upload.jobs", "upload.due"] {
            let exchange = try #require(topology.foundation.exchanges.first { $0.name == name })
            #expect(exchange.arguments["alternate-exchange"]?.string == "upload.dead")
        }
    }

    @Test func `the notifier's queue has one active consumer and a delivery limit`() throws {
        let arguments = try queue("upload.notifier.0").arguments
        #expect(arguments["x-single-active-consumer"]?.bool == true)
        #expect(arguments["x-delivery-limit"]?.integer == 20)
        #expect(arguments["x-dead-letter-exchange"]?.string == "upload.dead")
    }

    @Test func `nothing is behind the dead letters, so their limit is out of reach`() throws {
        let arguments = try queue("upload.dead").arguments
        #expect(arguments["x-dead-letter-exchange"] == nil)
        #expect(try #require(arguments["x-delivery-limit"]?.integer) > 1_000_000)
    }

    @Test func `the control log is kept 40 days and at most 1 GiB in segments of 1 MiB`() throws {
        let arguments = try queue("upload.control").arguments
        #expect(arguments["x-max-age"]?.string == "40D")
        #expect(arguments["x-max-length-bytes"]?.integer == 1_073_741_824)
        #expect(arguments["x-stream-max-segment-size-bytes"]?.integer == 1_048_576)
    }

    @Test func `one confirm of a submitted job covers its lane and its record`() {
        let bindings = topology.shared.bindings.filter { $0.source == "upload.submit" }
        #expect(
            Set(bindings) == [
                Binding(source: "upload.submit", destination: .exchange("upload.jobs"), routingKey: "#"),
                Binding(source: "upload.submit", destination: .queue("upload.notifier.0"), routingKey: "#"),
            ])
    }

    @Test(arguments: [4, 16]) func `every digit has one shard, which gets its jobs and events`(_ count: Int) throws {
        let shards = try #require(Shards(count))
        let topology = try UploadTopology(namespace: "upload", shards: shards)
        #expect(topology.shared.queues.filter { $0.name.hasPrefix("upload.notifier.") }.count == count)
        for exchange in ["upload.submit", "upload.events"] {
            let bindings = topology.shared.bindings.filter {
                if case .queue = $0.destination { $0.source == exchange } else { false }
            }
            #expect(bindings.map(\.routingKey).sorted() == Shards.digits.map { "#.\($0)" })
            for _ in 0..<50 {
                let job = JobID()
                let queue = bindings.first { $0.routingKey == "#.\(job.digitText)" }?.destination
                #expect(queue == .queue(topology.notifier(of: job)))
            }
        }
    }

    @Test func `events have one obligatory binding, outcomes and progress have none`() {
        let sources = Set(["upload.events", "upload.outcomes", "upload.progress"])
        let bindings = topology.shared.bindings.filter { sources.contains($0.source) }
        #expect(
            bindings == [
                Binding(source: "upload.events", destination: .queue("upload.notifier.0"), routingKey: "#")
            ])
    }

    @Test func `what no lane takes at the ladder's foot becomes a dead letter`() throws {
        let due = try #require(topology.shared.exchanges.first { $0.name == "upload.due" })
        #expect(due.arguments["alternate-exchange"]?.string == "upload.dead")
    }

    @Test func `each part declares the exchanges and queues that it binds or dead-letters into`() throws {
        for part in [topology.shared, topology.foundation] {
            let exchanges = Set(part.exchanges.map(\.name))
            let queues = Set(part.queues.map(\.name))
            for binding in part.bindings {
                #expect(exchanges.contains(binding.source))
                switch binding.destination {
                case .queue(let name): #expect(queues.contains(name))
                case .exchange(let name): #expect(exchanges.contains(name))
                }
            }
            for queue in part.queues {
                guard let target = queue.arguments["x-dead-letter-exchange"]?.string else { continue }
                #expect(exchanges.contains(target))
            }
        }
    }

    @Test func `a listener's queues drop the oldest and expire, and never refuse a message`() throws {
        let watch = topology.watch(UUID(), of: .standard)
        #expect(watch.queues.count == 2)
        for queue in watch.queues {
            #expect(queue.arguments["x-overflow"]?.string == "drop-head")
            #expect(try #require(queue.arguments["x-expires"]?.integer) > 0)
            #expect(try #require(queue.arguments["x-max-length"]?.integer) > 0)
            #expect(try #require(queue.arguments["x-max-length-bytes"]?.integer) > 0)
        }
        #expect(
            watch.bindings.map { "\($0.source) \($0.routingKey)" } == [
                "upload.events completed.default.#", "upload.outcomes *.default.#",
                "upload.progress progress.default.#",
            ])
        let pauses = topology.watch(UUID(), of: .standard, pauses: true).bindings.dropFirst(watch.bindings.count)
        #expect(
            pauses.map { "\($0.source) \($0.routingKey)" } == [
                "upload.events waiting.default.#", "upload.events paused.default.#",
            ])
    }
}

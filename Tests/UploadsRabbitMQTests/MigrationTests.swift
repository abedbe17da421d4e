import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
    /// The objects of version 2 of the topology, where they differ: one queue for the notifier, and keys without digits.
    private static func former(_ topology: UploadTopology) -> Topology {
        let working = topology.lanes(of: .standard).queues[0].arguments
        let notifier = topology.namespace + ".notifier"
        let lanes = Lane.allCases.flatMap { lane in
            let queue = Binding.Destination.queue(topology.laneQueue(.standard, lane))
            return [
                Binding(source: topology.jobs, destination: queue, routingKey: "default.\(lane.rawValue)"),
                Binding(
                    source: topology.due, destination: queue,
                    routingKey: UploadTopology.anyDelay + "default.\(lane.rawValue)"),
            ]
        }
        return Topology(
            exchanges: [Exchange(name: topology.submit, kind: .topic)],
            queues: [Queue(name: notifier, arguments: working.merging(["x-single-active-consumer": true]) { $1 })],
            bindings: [
                Binding(source: topology.submit, destination: .exchange(topology.jobs), routingKey: "#"),
                Binding(source: topology.submit, destination: .queue(notifier), routingKey: "#"),
                Binding(source: topology.events, destination: .queue(notifier), routingKey: "#"),
            ] + lanes)
    }

    /// Makes the rig's namespace one of version 2.
    private func age(_ rig: Rig) async throws {
        let topology = rig.topology
        let new = topology.lanes(of: .standard).bindings + topology.records(of: topology.events)
        try await rig.connection.delete(
            Topology(
                exchanges: (topology.foundation.exchanges).filter { $0.name == topology.submit },
                queues: topology.notifiers.map { Queue(name: $0) }, bindings: new))
        try await rig.connection.define(Self.former(topology))
    }

    @Test func `what waits in a namespace of version 2 is in the queues of this version after the migration`()
        async throws
    {
        try await Rig.run { rig in
            try await age(rig)
            let topology = rig.topology
            // A program of this version changes nothing there.
            let broker = try await rig.broker()
            let error = await #expect(throws: UploadError.self) { try await broker.notifierBus() }
            #expect(error?.message.contains("topology migrate") == true)
            let (job, waiting) = (Samples.job(), Samples.baton())
            try await rig.channel.publish(
                try WireFormat.message(job: job), to: topology.submit, routingKey: "default.normal")
            let event = UploadEvent(
                kind: .completed, of: Samples.baton(), at: Date(timeIntervalSince1970: 1_795_000_000))
            try await rig.channel.publish(
                try WireFormat.message(event: event), to: topology.events, routingKey: "completed.default.photos")
            let markers = (1...30).map { IssueMarker(job: JobID(), round: 1, generation: $0) }
            for marker in markers {
                try await rig.channel.publish(
                    try WireFormat.message(marker: marker), to: "", routingKey: topology.namespace + ".notifier")
            }
            // It comes to the ladder's foot when the migration is over.
            try await rig.channel.publish(
                try WireFormat.message(baton: waiting), to: topology.ladderTop,
                routingKey: "\(UploadTopology.delayBits(4)).default.bulk")
            try await eventually("all are there") {
                try await rig.channel.messageCount(of: topology.namespace + ".notifier") == 32
            }
            #expect(try await broker.migrateObjects(queues: [.standard], delegates: []) == 32)
            #expect(try await broker.migrateObjects(queues: [.standard], delegates: []) == nil)
            #expect(await rig.isMissing(topology.namespace + ".notifier"))
            let probe = try await rig.notifier()
            try await eventually("the notifier gets them all") { probe.messages.value.count == 32 }
            #expect(probe.messages.value.first == .job(job, maybeRepeated: false))
            #expect(probe.messages.value.dropFirst(2).elementsEqual(markers.map { .marker($0) }))
            #expect(probe.events == [event])
            #expect(WireFormat.read(try await rig.next(topology.laneQueue(.standard, .normal)).message) == .job(job))
            #expect(
                WireFormat.read(try await rig.next(topology.laneQueue(.standard, .bulk)).message) == .baton(waiting))
            let objects = try await broker.objects(queues: [.standard], delegates: [])
            #expect(objects.allSatisfy { $0.state == .asDeclared })
        }
    }

    @Test func `a migration that was interrupted goes on, and one with a reader or more shards does not begin`()
        async throws
    {
        try await Rig.run { rig in
            try await age(rig)
            let (broker, former) = (try await rig.broker(), rig.topology.namespace + ".notifier")
            let reader = try await rig.connection.consume(former, prefetch: 1)
            let refusal = await #expect(throws: UploadError.self) {
                try await broker.migrateObjects(queues: [], delegates: [])
            }
            #expect(refusal?.code == .rejected && refusal?.message.contains(former) == true)
            await reader.channel.close()
            let several = try await UploadBroker.connect(
                try ConnectionConfiguration(urls: [rig.node.url]), namespace: rig.topology.namespace,
                shards: Shards(4) ?? .one, logger: rig.logger)
            rig.atEnd { await several.close() }
            let other = await #expect(throws: UploadError.self) {
                try await several.migrateObjects(queues: [], delegates: [])
            }
            #expect(other?.code == .misconfigured)
            // Interrupted behind the first step: producers keep their jobs until the exchange is there again.
            try await rig.connection.delete(
                Topology(exchanges: [Exchange(name: rig.topology.submit, kind: .topic)]))
            let marker = IssueMarker(job: JobID(), round: 1, generation: 1)
            try await rig.channel.publish(try WireFormat.message(marker: marker), to: "", routingKey: former)
            #expect(try await broker.migrateObjects(queues: [.standard], delegates: []) == 1)
            let probe = try await rig.notifier()
            try await eventually("it has come") { probe.messages.value == [.marker(marker)] }
        }
    }
}

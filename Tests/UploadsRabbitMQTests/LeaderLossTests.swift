import Logging
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// The node that led the queues is lost for good, and the other two of three continue without it.
@Suite(.timeLimit(.minutes(10))) struct LeaderLossTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A channel remembers the leader of a queue from its first publish on. A channel that was opened while the dead
    /// node still counted as the leader is refused even when there has long been another, so it must not be kept.
    @Test func whoFirstPublishesWhileTheLeaderIsDeadIsAcceptedAsSoonAsThereIsAnother() async throws {
        let cluster = try await BrokerCluster.start()
        do {
            try await publish(without: cluster)
        } catch {
            try await cluster.stop()
            throw error
        }
        try await cluster.stop()
    }

    private func publish(without cluster: BrokerCluster) async throws {
        let (leader, follower, survivor) = (cluster.nodes[0], cluster.nodes[1], cluster.nodes[2])
        let namespace = UniqueNames.make("ns")
        // The declaring connection's node leads the queue.
        let declaring = try await broker(at: leader, namespace)
        _ = try await declaring.notifierBus()
        _ = try await declaring.submitter(for: .standard)
        await declaring.close()
        let producer = try await broker(at: survivor, namespace)
        let submitter = try await producer.submitter(for: .standard)
        let notifier = try await broker(at: survivor, namespace)
        let bus = try await notifier.notifierBus()
        let worker = try await broker(at: survivor, namespace)
        let topology = worker.topology
        #expect(try await cluster.leader(of: topology.notifier(0), asking: survivor).name == leader.name)

        // Without a majority no node can take the dead leader's place yet.
        try await leader.kill()
        try await follower.kill()
        await #expect {
            try await submitter.submit(Samples.job())
        } throws: {
            ($0 as? UploadError)?.code == .serverFailure
        }
        let lost = Signal()
        let limit = Task {
            try await Task.sleep(for: .seconds(120))
            lost.fire()
        }
        defer {
            limit.cancel()
            lost.fire()
        }
        let parcels = [
            "a hand-over": Parcel(
                message: try WireFormat.message(baton: Samples.baton(), maybeRepeated: false),
                exchange: topology.jobs, routingKey: topology.laneKey(.standard, .continued, JobID())),
            "a control entry": Parcel(
                message: try WireFormat.message(entry: .queueStopped(.standard)), exchange: topology.control,
                routingKey: "", confirmLimit: ControlLog.confirmLimit),
        ]
        let delivering = parcels.mapValues { parcel in
            Task { () async -> Bool in (try? await worker.publisher.deliver(parcel, until: lost)) != nil }
        }
        let issuing = Task { () async -> Bool in
            // The notifier holds a baton that a lane refuses, and issues it again.
            while let answer = try? await bus.issue(Samples.baton(), on: .urgent, maybeRepeated: false) {
                if answer == .taken { return true }
            }
            return false
        }
        lost.onFire { issuing.cancel() }

        // With two of three there is another leader soon; the first one stays away.
        try await follower.restart()
        try await eventually("the producer's job is accepted") {
            do throws(UploadError) {
                try await submitter.submit(Samples.job(), maybeRepeated: true)
                return true
            } catch {
                try await Task.sleep(for: .milliseconds(100))
                return false
            }
        }
        for (what, task) in delivering { #expect(await task.value, "\(what) of the worker was not accepted") }
        #expect(await issuing.value, "the notifier's baton was not accepted")
        for broker in [producer, notifier, worker] { await broker.close() }
    }

    private func broker(at node: BrokerNode, _ namespace: String) async throws -> UploadBroker {
        try await UploadBroker.connect(
            try ConnectionConfiguration(urls: [node.url]), namespace: namespace, logger: logger)
    }
}

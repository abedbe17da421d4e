import Foundation
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// A broker of three nodes loses the node that leads its queues.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClusterTests {
    private static let part = 8 << 20

    @Test func whenTheLeaderOfTheQueuesIsKilledInMidUploadAllJobsGoOnAndEnd() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        // The last parts take half a minute, in which the leader is found and killed.
        bucket.proxy.setRule { request in
            guard let number = request.partNumber else { return .forward }
            return .throttle(bytesPerSecond: number <= 4 ? 1 << 20 : 1 << 18)
        }
        let cluster = try await BrokerCluster.start()
        do {
            // The test itself connects to this node, so the node must survive; the programs begin with the first URL of the list.
            try await Deployment.with(
                broker: cluster.nodes[2], url: cluster.urls, destinations: [bucket.destination()]
            ) { deployment in
                try await loseTheLeader(of: cluster, deployment, bucket)
            }
        } catch {
            try await cluster.stop()
            throw error
        }
        try await cluster.stop()
    }

    private func outbox(_ deployment: Deployment) throws -> [String] {
        let folder = deployment.staging.appending(path: "outbox")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    private func loseTheLeader(
        of cluster: BrokerCluster, _ deployment: Deployment, _ bucket: S3Bucket
    ) async throws {
        let programs = [
            try deployment.start(.notifier), try deployment.start(.worker, ["--concurrency", "4"]),
            try deployment.start(.worker, ["--concurrency", "4"]),
        ]
        let large = try deployment.makeFile("large.bin", bytes: 6 * Self.part)
        let small = try (0..<20).map { try deployment.makeFile("\($0).bin", bytes: 60_000) }
        var ids = try await deployment.enqueue(["--to", "bucket:", large.path])
        try await eventually("the upload is under way") { !bucket.proxy.partsSent.isEmpty }

        let topology = try deployment.topology
        let leader = try await cluster.leader(
            of: topology.laneQueue(.standard, .continued), asking: deployment.broker)
        try #require(leader.name != deployment.broker.name, "the programs are not connected to the first of the list")
        ids += try await deployment.enqueue(["--to", "bucket:before/"] + small.map(\.path))
        #expect(bucket.proxy.partsSent.count < 6, "the upload ended before the leader did")
        try await leader.kill()
        // The first publishes on a new channel, while the broker may still take the dead node for the leader.
        let after = try await deployment.run(.enqueue, ["--to", "bucket:after/"] + small.map(\.path))
        #expect(await after.wait() == 0, "\(after.errorText)")
        #expect(!after.errorText.contains("kept in"), "two nodes of three are a broker: \(after.errorText)")
        #expect(try outbox(deployment).isEmpty)
        ids += after.outputText.split(separator: "\n").map(String.init)

        let told = try await deployment.waitForOutcomes(ids.count)
        #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
        #expect(told.compactMap { $0["subject"] as? String }.sorted() == ids.sorted())
        #expect(programs.allSatisfy { $0.isRunning })
        let digests = try await deployment.digests(of: [large] + small)
        #expect(try await bucket.observer.sha256(bucket.name, "large.bin") == digests[0])
        for (file, digest) in zip(small, digests.dropFirst()) {
            for folder in ["before", "after"] {
                #expect(try await bucket.observer.sha256(bucket.name, "\(folder)/\(file.lastPathComponent)") == digest)
            }
        }
        #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        #expect(deployment.stagedFiles().filter { $0 != "outbox" } == [])
        let rows = try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status")
        #expect(rows == ["completed|\(ids.count)"])
        try await leader.restart()
        try await deployment.broker.ctl("await_online_nodes", "3")
        let last = try deployment.makeFile("last.bin", bytes: 100_000)
        _ = try await deployment.enqueue(["--to", "bucket:", "--wait", last.path])
        try await pauseTheLeader(of: cluster, deployment)
    }

    /// The leader keeps its connections and answers nothing, until the others elect a new leader or it resumes. Jobs that are enqueued
    /// meanwhile are on the broker or in the outbox, and arrive.
    private func pauseTheLeader(of cluster: BrokerCluster, _ deployment: Deployment) async throws {
        let topology = try deployment.topology
        let leader = try await cluster.leader(of: topology.notifier(0), asking: deployment.broker)
        let before = try deployment.toldOutcomes().count
        let file = try deployment.makeFile("paused.bin", bytes: 100_000)
        leader.pause()
        defer { leader.resume() }
        let ordered = try deployment.startControl("cancel", "--timeout", "3s", UUID().uuidString)
        let program = try await deployment.run(.enqueue, ["--to", "bucket:", file.path])
        #expect(await program.wait() == 0, "\(program.errorText)")
        // The job is unknown, or the broker has not answered in time.
        #expect([1, 69].contains(await ordered.wait()), "\(ordered.errorText)")
        leader.resume()
        try await deployment.waitForOutcomes(before + 1)
    }
}

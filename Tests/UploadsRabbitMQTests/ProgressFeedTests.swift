import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgressFeedTests {
    private func follow(_ rig: Rig) async throws -> Box<[UploadEvent]> {
        let broker = try await rig.broker()
        let heard = Box<[UploadEvent]>([])
        let task = Task { await broker.follow { news in heard.change { $0 += news.progress } } }
        rig.atEnd {
            task.cancel()
            await task.value
        }
        try await eventually("the feed listens") { try await self.queues(rig).count == 1 }
        return heard
    }

    private func queues(_ rig: Rig) async throws -> [String] {
        try await rig.node.ctl("list_queues", "name").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("\(rig.topology.namespace).progress.") }
    }

    private func report(_ job: UploadJob, _ bytes: Int64) throws -> Message {
        var event = UploadEvent(kind: .progress, of: Samples.baton(job), at: Date())
        event.data.bytesDone = bytes
        return try WireFormat.message(event: event)
    }

    @Test func `the progress of all transfer queues is heard, and nothing is left on the broker`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let heard = Box<[UploadEvent]>([])
            let task = Task { await broker.follow { news in heard.change { $0 += news.progress } } }
            try await eventually("the feed listens") { try await queues(rig).count == 1 }
            let jobs = [Samples.presigned(), Samples.job(queue: try QueueName("video"))]
            for job in jobs {
                let event = UploadEvent(kind: .progress, of: Samples.baton(job), at: Date())
                try await rig.channel.publish(
                    try report(job, 7), to: rig.topology.progress, routingKey: event.routingKey)
            }
            try await eventually("both are heard") { Set(heard.value.map(\.job.id)) == Set(jobs.map(\.id)) }
            #expect(heard.value.allSatisfy { $0.data.bytesDone == 7 })
            task.cancel()
            await task.value
            try await eventually("its queue is gone") { try await queues(rig).isEmpty }
        }
    }

    @Test func `what a worker tells of a destination is heard, and those that follow jobs do not hear it`() async throws
    {
        try await Rig.run { rig in
            let worker = try await rig.broker()
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard)
            let heard = Box<[DestinationReport]>([])
            let task = Task { await broker.follow { news in heard.change { $0 += news.destinations } } }
            try await eventually("the feed listens") { try await queues(rig).count == 1 }
            let report = DestinationReport(
                worker: "host/1-a", destination: "photos", circuit: .open,
                until: Date(timeIntervalSince1970: 1_800_000_012),
                jobsInFlight: 3, partsInFlight: 4, limits: TransferLimits(jobs: 8, bytesPerSecond: 1 << 20),
                pace: DestinationReport.Pace(bytesPerSecond: 12, isHeld: true),
                at: Date(timeIntervalSince1970: 1_800_000_000))
            // A report of a later version is skipped.
            rig.channel.post(
                Message(body: Data("{}".utf8), messageID: "y", type: "upload.destination.v2"),
                to: rig.topology.progress,
                routingKey: report.routingKey)
            worker.tell(report)
            try await eventually("it is heard as it was told") { heard.value.last == report }
            let job = Samples.job()
            let event = UploadEvent(kind: .progress, of: Samples.baton(job), at: Date())
            try await rig.channel.publish(
                try self.report(job, 7), to: rig.topology.progress, routingKey: event.routingKey)
            var told = watch.makeAsyncIterator()
            #expect(try await told.next()?.job.id == job.id)
            task.cancel()
            await task.value
            await watch.close()
        }
    }

    @Test func `what a worker tells of itself is heard, beside what it tells of a destination`() async throws {
        try await Rig.run { rig in
            let worker = try await rig.broker()
            let broker = try await rig.broker()
            let heard = Box<WorkerNews>(WorkerNews())
            let task = Task {
                await broker.follow { news in
                    heard.change {
                        $0.destinations += news.destinations
                        $0.workers += news.workers
                    }
                }
            }
            try await eventually("the feed listens") { try await queues(rig).count == 1 }
            let at = Date(timeIntervalSince1970: 1_800_000_000)
            let report = WorkerReport(
                worker: "host/1-a", host: "host", version: "1.0.0", commit: "0123456789ab",
                queues: [.standard, try QueueName("video")], state: .draining, slotsUsed: 3, slots: 512,
                bytesPerSecond: 12.5, startedAt: at - 60, at: at)
            // The same worker's report on a destination does not replace it.
            let place = DestinationReport(worker: "host/1-a", destination: "photos", at: at)
            worker.tell(report)
            worker.tell(place)
            try await eventually("both are heard as they were told") {
                heard.value.workers.last == report && heard.value.destinations.last == place
            }
            task.cancel()
            await task.value
        }
    }

    @Test func `of a flood the latest of each job is heard, and what is no progress is left out`() async throws {
        try await Rig.run { rig in
            let heard = try await follow(rig)
            let jobs = (0..<3).map { _ in Samples.presigned() }
            try await rig.channel.publish(
                Message(body: Data("nonsense".utf8), messageID: "x"), to: rig.topology.progress,
                routingKey: "progress.a.b")
            for bytes in 1...500 {
                for job in jobs {
                    rig.channel.post(
                        try report(job, Int64(bytes)), to: rig.topology.progress, routingKey: "progress.a.b")
                }
                // Posts are dropped when too many wait; the last one has to arrive.
                if bytes % 100 == 0 { _ = try await rig.channel.messageCount(of: rig.topology.notifier(0)) }
            }
            try await eventually("the latest of each is heard") {
                jobs.allSatisfy { job in heard.value.last { $0.job.id == job.id }?.data.bytesDone == 500 }
            }
            #expect(heard.value.count < 1500, "coalesced")
        }
    }

    @Test func `after the loss of the connection it is heard again, by a queue with another name`() async throws {
        try await Rig.run { rig in
            let heard = try await follow(rig)
            let old = try await queues(rig)
            let job = Samples.presigned()
            let lines = try await rig.node.ctl("list_connections", "pid", "client_properties")
            let pid = try #require(
                lines.split(separator: "\n").first { $0.contains(".progress") }?.split(separator: "\t").first)
            _ = try await rig.node.ctl("close_connection", String(pid), "a test")
            try await eventually("it is heard again") {
                rig.channel.post(try report(job, 9), to: rig.topology.progress, routingKey: "progress.a.b")
                return heard.value.contains { $0.job.id == job.id }
            }
            #expect(try await Set(queues(rig)).isDisjoint(with: old))
        }
    }
}

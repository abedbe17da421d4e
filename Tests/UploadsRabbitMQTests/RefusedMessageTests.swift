import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// A broker that takes no large messages: it refuses the too large message, and no other.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RefusedMessageTests {
    private static let bytesMaximum = 8192

    private func run(_ test: (Rig) async throws -> Void) async throws {
        let node = try await BrokerNode.start(configuration: "max_message_size = \(Self.bytesMaximum)")
        do {
            try await Rig.run(on: node, test)
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }

    private func tooLarge() -> UploadJob { Samples.job(source: .inline(Data(count: 30_000))) }

    /// Submits all at once. - Returns: the errors of the failed submissions.
    private func submit(_ jobs: [UploadJob], _ submitter: UploadSubmitter) async -> [JobID: UploadError] {
        await withTaskGroup(of: (JobID, UploadError?).self) { group in
            for job in jobs {
                group.addTask {
                    do throws(UploadError) {
                        try await submitter.submit(job)
                        return (job.id, nil)
                    } catch {
                        return (job.id, error)
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func messages(in queue: String, _ rig: Rig) async throws -> [Message] {
        var messages: [Message] = []
        while let delivery = try await rig.channel.get(queue) {
            messages.append(delivery.message)
            rig.channel.acknowledge(delivery)
        }
        return messages
    }

    @Test func `of jobs that are submitted at once the one that is too large is refused, and no other`() async throws {
        try await run { rig in
            let submitter = try await rig.broker().submitter(for: .standard)
            for _ in 0..<5 {
                var jobs = (0..<60).map { _ in Samples.job() }
                jobs[20] = tooLarge()
                let failures = await submit(jobs, submitter)
                #expect(failures.keys.map(\.self) == [jobs[20].id])
                #expect(failures[jobs[20].id]?.code == .rejected)
                #expect(failures[jobs[20].id]?.message.contains("max_message_size") == true)
                let arrived = try await messages(in: rig.topology.laneQueue(.standard, .normal), rig)
                #expect(
                    Set(arrived.map(\.messageID)) == Set(jobs.map(\.id.rawValue)).subtracting([jobs[20].id.rawValue]))
                // Each repeat is flagged as one.
                let first = arrived.filter { !WireFormat.isMaybeRepeated($0) }.map(\.messageID)
                #expect(Set(first).count == first.count)
            }
        }
    }

    @Test func `a user who may not publish is told so for each job`() async throws {
        try await run { rig in
            let other = "^(?!\(rig.topology.submit)$).*"
            try await rig.node.ctl("add_user", "guard", "guard")
            try await rig.node.ctl("set_permissions", "guard", ".*", other, ".*")
            let broker = try await UploadBroker.connect(
                try ConnectionConfiguration(urls: ["amqp://guard:guard@127.0.0.1:\(rig.node.port)/"]),
                namespace: rig.topology.namespace, logger: rig.logger)
            rig.atEnd { await broker.close() }
            let publisher = broker.publisher
            let submitter = UploadSubmitter(queue: .standard, topology: rig.topology, publisher: publisher)
            let jobs = (0..<20).map { _ in Samples.job() }
            let failures = await submit(jobs, submitter)
            #expect(failures.count == jobs.count)
            #expect(failures.values.allSatisfy { $0.code == .accessDenied })
        }
    }

    @Test func `what is delivered until it is confirmed is given up when it is too large, and the rest arrives`()
        async throws
    {
        try await run { rig in
            let publisher = try await Publisher(connection: try await rig.open(), logger: rig.logger)
            let queue = rig.topology.laneQueue(.standard, .normal)
            let never = Signal()
            let failures = await withTaskGroup(of: (Int, RabbitMQError?).self) { group in
                for number in 0..<60 {
                    var message = Message(body: Data(count: number == 20 ? 30_000 : 10))
                    message.messageID = "\(number)"
                    let parcel = Parcel(message: message, exchange: "", routingKey: queue, flagsRepeats: true)
                    group.addTask {
                        do throws(RabbitMQError) {
                            try await publisher.deliver(parcel, until: never)
                            return (number, nil)
                        } catch {
                            return (number, error)
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(failures.keys.map(\.self) == [20])
            #expect(failures[20]?.code == .messageRefused)
            let arrived = try await messages(in: queue, rig)
            #expect(Set(arrived.map(\.messageID)) == Set((0..<60).filter { $0 != 20 }.map { "\($0)" }))
        }
    }

    @Test func `a hand-over that is too large becomes a dead letter, and other jobs go on`() async throws {
        try await run { rig in
            let bad = Samples.job()
            let handler = TestHandler { claimed in
                guard claimed.baton.job.id == bad.id else { return await TestHandler.completing(claimed) }
                return .handOver(UploadState(driver: "x", payload: .string(String(repeating: "x", count: 10_000))))
            }
            try await rig.serve(try await rig.worker(), handler)
            let good = (0..<20).map { _ in Samples.job() }
            for job in good.prefix(10) + [bad] + good.suffix(10) {
                try await rig.put(try WireFormat.message(baton: Samples.baton(job)))
            }
            let dead = try await rig.next(rig.topology.dead)
            #expect(dead.message.headers[WireFormat.reasonHeader]?.string?.contains("settlement") == true)
            try await eventually("the others are settled") { handler.removed.value.count == good.count }
            #expect(handler.handled.value.filter { $0.job.id == bad.id }.count == 1)
        }
    }

    @Test func `what the refusal of a repeat says of the first try`() {
        let first = RabbitMQError(.channelClosed, "closed", replyCode: 406)
        func isUnknown(_ code: RabbitMQError.Code, _ reply: Int? = nil, after first: RabbitMQError) -> Bool {
            RabbitMQError(code, "refused", replyCode: reply).ofRepeat(after: first).isOutcomeUnknown
        }
        #expect(!isUnknown(.messageRefused, 406, after: first))
        #expect(isUnknown(.accessRefused, 403, after: first), "the permission may be gone since")
        #expect(!isUnknown(.accessRefused, 403, after: RabbitMQError(.channelClosed, "closed", replyCode: 403)))
        #expect(isUnknown(.notFound, 404, after: RabbitMQError(.channelClosed, "closed", replyCode: 404)))
        for code in [RabbitMQError.Code.nacked, .returned, .notConnected, .invalidArgument, .connectionLost, .closed] {
            #expect(isUnknown(code, after: first), "\(code)")
        }
    }

    @Test func `events whose common message is too large are told one by one`() async throws {
        try await run { rig in
            let count = 40
            let door = Door()
            let handler = TestHandler { claimed in
                await door.wait()
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(prefetchPerLane: UInt16(count)), handler)
            let probe = try await rig.notifier()
            let jobs = (0..<count).map { _ in Samples.job() }
            for job in jobs { try await rig.put(try WireFormat.message(job: job)) }
            try await eventually("all are under way") { handler.handled.value.count == count }
            door.open()
            try await eventually("all are told") { Set(probe.events.map(\.job.id)) == Set(jobs.map(\.id)) }
        }
    }
}

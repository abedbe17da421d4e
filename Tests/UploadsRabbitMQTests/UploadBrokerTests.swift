import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct UploadBrokerTests {
    @Test func `a watch hears progress, a worker's completed and the ledger's word`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard)
            rig.atEnd { await watch.close() }
            let handler = TestHandler { claimed in
                claimed.progress(bytesDone: 2, bytesPerSecond: 7, partBytes: 1)
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(), handler)
            let job = Samples.presigned()
            try await broker.submitter(for: .standard).submit(job)
            let bus = try await broker.notifierBus()
            let outcome = UploadEvent(outcome: .cancelled, of: Samples.baton(job), at: Date()).asOutcome
            try await bus.tell(outcome)
            var heard: [EventKind: UploadEvent] = [:]
            for try await event in watch {
                heard[event.kind] = event
                #expect(!String(decoding: try WireJSON.encode(event), as: UTF8.self).contains(Samples.secret))
                if heard.count == 3 { break }
            }
            #expect(heard[.progress]?.data.bytesDone == 2)
            #expect(heard[.progress]?.data.bytesPerSecond == 7)
            #expect(heard[.progress]?.data.partBytes == 1)
            #expect(heard[.completed]?.job.id == job.id)
            #expect(heard[.cancelled]?.id == "\(job.id).1.ended")
        }
    }

    @Test func `a watch does not hear other transfer queues`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard)
            rig.atEnd { await watch.close() }
            let bus = try await broker.notifierBus()
            let other = Samples.baton(Samples.job(queue: try QueueName("video")))
            try await bus.tell(UploadEvent(outcome: .cancelled, of: other, at: Date()).asOutcome)
            let own = Samples.baton()
            try await bus.tell(UploadEvent(outcome: .cancelled, of: own, at: Date()).asOutcome)
            var events = watch.makeAsyncIterator()
            #expect(try await events.next()?.job.id == own.job.id)
        }
    }

    @Test func `a watch whose queue was deleted says so`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard)
            rig.atEnd { await watch.close() }
            let names = try await rig.node.ctl("list_queues", "name").split(separator: "\n").map(String.init)
            let own = names.filter { $0.hasPrefix("\(rig.topology.namespace).watch.") }
            #expect(own.count == 2)
            try await rig.connection.delete(Topology(queues: own.map { Queue(name: $0) }))
            let error = await #expect(throws: UploadError.self) {
                for try await _ in watch {}
            }
            #expect(error?.message.contains("outcomes may have been missed") == true)
        }
    }

    @Test func `a closed watch ends and leaves nothing behind`() async throws {
        try await Rig.run { rig in
            let watch = try await rig.broker().watch(.standard)
            await watch.close()
            for try await _ in watch {}
            let names = try await rig.node.ctl("list_queues", "name")
            #expect(!names.contains("\(rig.topology.namespace).watch."))
        }
    }

    @Test func `a refused login says which settings to check, and shows no password`() async throws {
        try await Rig.run { rig in
            let configuration = try ConnectionConfiguration(
                urls: ["amqp://guest:not-the-password@127.0.0.1:\(rig.node.port)/"])
            let error = await #expect(throws: UploadError.self) {
                _ = try await UploadBroker.connect(configuration, namespace: "x", logger: rig.logger)
            }
            #expect(error?.code == .wrongCredentials)
            #expect(error?.message.contains("password") == true)
            #expect(error.map { String(reflecting: $0).contains("not-the-password") } == false)
        }
    }

    @Test func `a broker that is not there is a network failure that names it`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            proxy.refuse()
            let configuration = try ConnectionConfiguration(urls: ["amqp://127.0.0.1:\(proxy.port)/"])
            let error = await #expect(throws: UploadError.self) {
                _ = try await UploadBroker.connect(configuration, namespace: "x", logger: rig.logger)
            }
            #expect(error?.code == .networkFailure)
            #expect(error?.message.contains("127.0.0.1:\(proxy.port)") == true)
        }
    }

    @Test func `a broker that has gone quiet is given up within the limit`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let submitter = UploadSubmitter(
                queue: .standard, topology: rig.topology,
                publisher: try await Publisher(connection: try await rig.open(proxy), logger: rig.logger))
            proxy.stall()
            let error = await #expect(throws: UploadError.self) {
                try await submitter.submit(Samples.job(), within: .milliseconds(200))
            }
            #expect(error?.code == .networkFailure)
            #expect(error?.message.contains("memory and disk alarms") == true)
            proxy.stall(false)
            try await submitter.submit(Samples.job())
            try await eventually("both have arrived") { try await rig.waiting(.normal) == 2 }
        }
    }

    @Test func `objects of another version are not taken over`() async throws {
        try await Rig.run { rig in
            let queue = try QueueName("video")
            let topology = Topology(queues: [Queue(name: rig.topology.laneQueue(queue, .bulk))])
            try await rig.connection.define(topology)
            rig.atEnd { try? await rig.connection.delete(rig.topology.lanes(of: queue)) }
            let broker = try await rig.broker()
            let error = await #expect(throws: UploadError.self) { _ = try await broker.submitter(for: queue) }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("other arguments") == true)
        }
    }

    @Test func `a submitter takes only jobs of its own queue`() async throws {
        try await Rig.run { rig in
            let submitter = try await rig.broker().submitter(for: .standard)
            let error = await #expect(throws: UploadError.self) {
                try await submitter.submit(Samples.job(queue: try QueueName("video")))
            }
            #expect(error?.code == .misconfigured)
        }
    }

    @Test func `a closed broker is not connected, and says so`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            #expect(broker.isConnected)
            await broker.close()
            #expect(!broker.isConnected)
            let error = await #expect(throws: UploadError.self) { _ = try await broker.notifierBus() }
            #expect(error != nil)
        }
    }

    /// The same code as for another version's objects, with quite another remedy.
    @Test func `a limit of the broker is told in its own words`() async throws {
        let node = try await BrokerNode.start(configuration: "channel_max = 6")
        do {
            try await Rig.run(on: node) { rig in
                try await node.ctl("set_vhost_limits", #"{"max-queues": 3}"#)
                let broker = try await rig.broker()
                let refused = await #expect(throws: UploadError.self) {
                    _ = try await broker.submitter(for: try QueueName("video"))
                }
                #expect(refused?.message.contains("limit") == true, "\(refused?.message ?? "")")
                #expect(refused?.message.contains("other arguments") == false, "\(refused?.message ?? "")")
                try await node.ctl("clear_vhost_limits")
                let connection = try await rig.open()
                var channels: [Channel] = []
                var full: RabbitMQError?
                while full == nil, channels.count < 10 {
                    do throws(RabbitMQError) {
                        channels.append(try await connection.openChannel())
                    } catch {
                        full = error
                    }
                }
                #expect(full?.message.contains("raise channel_max there, or have") == true, "\(full?.message ?? "")")
            }
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }

    @Test func `a watch that cannot be made leaves no queues behind`() async throws {
        try await Rig.run { rig in
            let user = UniqueNames.make("user")
            try await rig.node.ctl("add_user", user, "secret")
            // The user may declare its queues, and may not bind them.
            try await rig.node.ctl("set_permissions", user, #"\.watch\."#, ".*", "^$")
            let broker = try await UploadBroker.connect(
                try ConnectionConfiguration(urls: ["amqp://\(user):secret@127.0.0.1:\(rig.node.port)/"]),
                namespace: rig.topology.namespace, logger: rig.logger)
            await #expect(throws: UploadError.self) { _ = try await broker.watch(.standard) }
            let names = try await rig.node.ctl("list_queues", "name")
            #expect(!names.contains("\(rig.topology.namespace).watch."), "\(names)")
            await broker.close()
            try await rig.node.ctl("delete_user", user)
        }
    }
}

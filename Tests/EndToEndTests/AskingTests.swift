import Foundation
import RabbitMQ
import Testing
import UploadClient
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// The state of its uploads that an app shows after it was cut off from the broker. The test plays the worker, so that every event is
/// the test's own.
@Suite(.serialized, .timeLimit(.minutes(40))) struct AskingTests {
    @Test func whatWasMissedWhileTheBrokerWasAwayIsAskedForOnceItIsBack() async throws {
        let node = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: node.port)
        try await Deployment.with(broker: node) { deployment in
            let notifier = try deployment.start(.notifier)
            let paused = try await deployment.withManager(url: proxy.url) { manager in
                let delegate = TellingDelegate()
                try await manager.setDelegate(delegate)
                let (a, b, c) = (
                    try await start("a", manager), try await start("b", manager), try await start("c", manager)
                )
                let queue = try await TransferQueue(QueueName("default"), manager: manager)
                let session = try await queue.enqueue("d")
                try await queue.start()
                let known = [a, b, c].map { "'\($0.id)'" }
                for id in known { _ = try await deployment.job(where: "id = \(id)") }
                let d = try await deployment.job(where: "id NOT IN (\(known.joined(separator: ", ")))") {
                    $0.line == .released
                }
                // The notifier is not about to issue any of them anew.
                try await deployment.waitForLedger()

                try await deployment.tell(.started, of: a.id)
                try await deployment.tell(.started, of: b.id)
                try await deployment.tell(.progress, of: b.id, bytesDone: 20)
                try await eventually("it is heard") {
                    a.latest.status.isRunning && b.latest.status.isRunning && b.latest.bytesDone == 20
                }

                proxy.refuse()
                proxy.cut()
                // As after an hour, or when the broker has lost the queues: the events published meanwhile are in no queue.
                try await deployment.deleteWatches()
                try await deployment.tell(.paused, of: a.id)
                try await deployment.tell(.progress, of: b.id, bytesDone: 60)
                try await deployment.tell(.completed, of: c.id)
                try await deployment.tell(.paused, of: d.id)
                try await deployment.waitForStatus("paused", of: a.id.rawValue)
                try await deployment.waitForStatus("paused", of: d.id.rawValue)
                try await deployment.waitForDelivered(1)
                let api = "http://127.0.0.1:\(try #require(notifier.port))"
                try await eventually("the notifier knows how far it is") {
                    try await deployment.control("job", b.id.rawValue, "-o", "json", "--api", api).outputText
                        .contains(/"bytesDone" ?: ?60\b/)
                }
                proxy.refuse(false)

                try await eventually("it is as it became meanwhile") {
                    let sessionIsActive = await queue.state(of: session) == .active
                    return a.latest.status.isPaused && b.latest.bytesDone == 60 && sessionIsActive
                }
                #expect(b.latest.status.isRunning && b.latest.fractionDone == 0.6)
                // The durable queue still delivers the end that the answer already contained.
                _ = try await c.completed()
                _ = try await manager.handlePendingEvents()
                #expect(delegate.ids == ["\(c.id).1.ended"])
                await queue.close()
                return a.id
            }
            // A program that starts later gets it too.
            try await deployment.withManager { manager in
                let handle = try #require(try await manager.handle(for: paused))
                try await eventually("it is known to be paused") { handle.latest.status.isPaused }
            }
        }
        proxy.stop()
    }

    private func start(_ key: String, _ manager: BrokerUploadManager) async throws -> UploadHandle {
        try await manager.start(try Upload(.data(Data(repeating: 7, count: 100)), to: "local:\(key)"))
    }
}

extension Deployment {
    /// The ledger's record of a job, once it meets the condition.
    fileprivate func job(
        where condition: String, _ isIt: (LedgerJob) -> Bool = { _ in true }
    ) async throws -> LedgerJob {
        var found: LedgerJob?
        try await eventually("the ledger knows the job where \(condition)") {
            guard try self.hasTable("jobs") else { return false }
            let texts = try self.queryLedger("SELECT plain(record) FROM jobs WHERE \(condition)")
            found = try texts.first.map { try WireJSON.decode(LedgerJob.self, from: Data($0.utf8)) }
            return found.map(isIt) ?? false
        }
        return try #require(found)
    }

    /// Publishes the event of a job that its worker would publish.
    fileprivate func tell(_ kind: EventKind, of id: JobID, bytesDone: Int64? = nil) async throws {
        var baton = try await job(where: "id = '\(id)'").baton
        if kind == .paused { baton.slice += 1 }
        var event = UploadEvent(kind: kind, of: baton, at: Date())
        if kind == .completed {
            let object = StoredObject(location: "/there", size: baton.job.size)
            event = UploadEvent(outcome: .completed(object, response: nil), of: baton, at: Date())
        }
        event.data.bytesDone = bytesDone
        let topology = try self.topology
        let message = try WireFormat.message(event: event)
        try await withBroker { connection in
            try await connection.openChannel().publish(
                message, to: kind == .progress ? topology.progress : topology.events, routingKey: event.routingKey,
                isMandatory: false)
        }
    }

    /// Deletes the queues of the apps' watches.
    fileprivate func deleteWatches() async throws {
        let names = try await broker.ctl("list_queues", "name").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("\(namespace).watch.") }
        #expect(names.count >= 2)
        try await withBroker { connection in
            try await connection.delete(Topology(queues: names.map { Queue(name: $0) }))
        }
    }
}

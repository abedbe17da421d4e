import Foundation
import Glibc
import Logging
import RabbitMQ
import Testing
import UploadClient
import UploadSources
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// The outbox holds a file that cannot be read, or more jobs than one pass publishes.
@Suite(.serialized, .timeLimit(.minutes(40))) struct OutboxFaultTests {
    /// The reason why a file cannot be read.
    enum Fault: CaseIterable {
        case link, permission, disk
    }

    @Test(arguments: Fault.allCases) func aFileThatCannotBeReadHoldsUpNoOtherJob(_ fault: Fault) async throws {
        try await Deployment.with { deployment in
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 100_000) }
            let nowhere = "amqp://guest:guest@127.0.0.1:\(try Ports.free())/"
            let ids = try await deployment.enqueue(["--to", "local:", "--broker", nowhere] + files.map(\.path))
            let outbox = deployment.staging.appending(path: "outbox")
            let name = try #require(ids.min()) + ".json"
            let bad = outbox.appending(path: name)
            let spare = deployment.path.appending(path: "spare.json")
            try FileManager.default.copyItem(at: bad, to: spare)
            var wrapper: [String] = []
            switch fault {
            case .link:
                try FileManager.default.removeItem(at: bad)
                try FileManager.default.createSymbolicLink(at: bad, withDestinationURL: spare)
            case .permission: #expect(chmod(bad.path, 0) == 0)
            case .disk:
                wrapper = Strace.injecting("error=EIO", into: "openat", about: [name, name + ".unreadable"])
            }

            let worker = try deployment.start(.worker, under: wrapper, mayReadAll: false)
            func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: outbox.path) }
            try await eventually("the others are published") { try left() == [name + ".unreadable"] }
            try await eventually("the worker says so") { worker.errorText.contains("cannot be read and was set aside") }
            #expect(worker.errorText.contains(name + ".unreadable"))
            #expect(worker.errorText.contains("mend it"))
            #expect(await worker.stop() == 0)

            let aside = outbox.appending(path: name + ".unreadable")
            try FileManager.default.removeItem(at: aside)
            try FileManager.default.copyItem(at: spare, to: aside)
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let told = try await deployment.waitForOutcomes(3)
            #expect(Set(told.compactMap { $0["subject"] as? String }) == Set(ids))
            for file in files { try deployment.expectArrived(file.lastPathComponent, like: file) }
            #expect(try left().isEmpty)
        }
    }

    /// The next regular pass would be in an hour.
    @Test func aLookThatWasFullGoesOnAtOnce() async throws {
        try await Deployment.with { deployment in
            let area = try await StagingArea.open(at: deployment.staging.path)
            let jobs = (0..<1050).map { number in
                UploadJob(
                    source: .inline(Data("hello".utf8)),
                    destination: .named(DestinationName(unchecked: "local"), key: "\(number)"),
                    size: 5)
            }
            let keepings = try await area.outbox().keep(count: jobs.count) { index throws(UploadError) in jobs[index] }
            #expect(keepings.allSatisfy { if case .kept = $0 { true } else { false } })
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let broker = try await UploadBroker.connect(
                ConnectionConfiguration(urls: [deployment.broker.url]), namespace: deployment.namespace,
                shards: deployment.shards, logger: logger)
            let publisher = OutboxPublisher(
                spool: deployment.staging.path, broker: broker, interval: .seconds(3600), logger: logger)
            let publishing = Task { await publisher.run() }
            let outbox = deployment.staging.appending(path: "outbox").path
            try await eventually("all are published") {
                try FileManager.default.contentsOfDirectory(atPath: outbox).isEmpty
            }
            publishing.cancel()
            await publishing.value
            await broker.close()
        }
    }
}

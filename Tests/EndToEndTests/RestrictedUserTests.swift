import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting
import UploadsRabbitMQ

/// Broker users with only the documented permissions, on objects that an administrator has declared.
@Suite(.timeLimit(.minutes(40))) struct RestrictedUserTests {
    /// The users in the page Operating, with their rights to configure, write and read.
    private func documented() throws -> [(user: String, rights: [String])] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Uploads/Uploads.docc/Operating.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("rabbitmqctl set_permissions ") }
        return lines.map { line in
            let rights = line.split(separator: "'").map(String.init)
            return (String(line.split(separator: " ")[2]), [rights[1], rights[3], rights[5]])
        }
    }

    /// Runs the body with the URLs of the documented users, with their permissions in a namespace.
    private func with(
        _ deployment: Deployment, _ body: (_ broker: (String) -> [String]) async throws -> Void
    ) async throws {
        let users = try documented()
        #expect(users.map(\.user) == ["producer", "waiter", "app", "worker", "notifier"])
        func name(_ user: String) -> String { "\(user)-\(deployment.namespace)" }
        for (user, rights) in users {
            try await deployment.broker.ctl("add_user", name(user), "secret")
            let own = rights.map { $0.replacing("upload\\.", with: "\(deployment.namespace)\\.") }
            try await deployment.broker.ctl("set_permissions", name(user), own[0], own[1], own[2])
        }
        do {
            try await body { user in
                ["--broker", "amqp://\(name(user)):secret@127.0.0.1:\(deployment.broker.port)/"]
            }
        } catch {
            for (user, _) in users { try await deployment.broker.ctl("delete_user", name(user)) }
            throw error
        }
        await deployment.stopAll()
        for (user, _) in users { try await deployment.broker.ctl("delete_user", name(user)) }
    }

    @Test func usersThatMayNotDeclareWorkOnWhatAnAdministratorDeclared() async throws {
        try await Deployment.with { deployment in
            try await with(deployment) { broker in
                // No object is declared yet.
                let early = try await deployment.run(.worker, broker("worker"))
                #expect(await early.wait() == 77)
                #expect(
                    early.errorText.contains("have an administrator run 'uploadctl topology declare'"),
                    "\(early.errorText)")
                #expect(early.errorText.contains("exchange '\(deployment.namespace)."), "\(early.errorText)")

                // The administrator imports the printed definitions into the broker, and checks them.
                let printed = try await deployment.control("topology", "declare", "--print")
                let file = deployment.path.appending(path: "definitions.json")
                try Data(printed.outputText.utf8).write(to: file)
                try await deployment.broker.ctl("import_definitions", file.path)
                try await deployment.control("topology", "check")
                try await deployment.control("topology", "declare", "--delegate", "client-pictures")

                let notifier = try deployment.start(.notifier, broker("notifier"))
                let api = "http://127.0.0.1:\(try #require(notifier.port))"
                try deployment.start(.worker, broker("worker"))
                let one = try deployment.makeFile("one.bin", bytes: 100_000)
                _ = try await deployment.enqueue(broker("producer") + ["--to", "local:", one.path])
                // A job passes the ladder, and its events are published on the way.
                let two = try deployment.makeFile("two.bin", bytes: 100_000)
                _ = try await deployment.enqueue(
                    broker("waiter") + ["--to", "local:", "--after", "2s", "--wait", two.path])
                let serial = try deployment.makeFile("serial.bin", bytes: 100_000)
                _ = try await deployment.enqueue(broker("producer") + ["--to", "local:", "--serial", serial.path])
                let told = try await deployment.waitForOutcomes(3)
                #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
                let ordered = try await deployment.control(
                    ["queue", "stop", "default"] + broker("waiter"))
                #expect(!ordered.errorText.contains("no answer"), "\(ordered.errorText)")
                try await deployment.control(["queue", "start", "default"] + broker("waiter"))
                // Before a sweep the notifier asks whether all events are recorded.
                let swept = try await deployment.control(["staging", "sweep", "--timeout", "60s"] + broker("waiter"))
                #expect(!swept.errorText.contains("not swept"), "\(swept.errorText)")

                // An app takes its outcomes from the queue of its delegate.
                let app = try await UploadBroker.connect(
                    try ConnectionConfiguration(urls: [broker("app")[1]]), namespace: deployment.namespace,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let pass = try await app.inbox(of: "client-pictures").pass { _ in true }
                #expect(pass == DelegateInbox.Pass())
                await app.close()

                // The notifier publishes a dead letter again.
                try await deployment.publishNonsense()
                try await eventually("the letter is recorded") {
                    try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["1"]
                }
                try await deployment.control("dead", "replay", "1", "--api", api)
                try await eventually("what cannot be read comes back") {
                    try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["2"]
                }

                // A user without one of the rights that it needs.
                let lacking = try await deployment.run(
                    .enqueue, broker("notifier") + ["--to", "local:", "--wait", two.path])
                #expect(await lacking.wait() == 77)
                #expect(lacking.errorText.contains("\(deployment.namespace).watch."), "\(lacking.errorText)")
                #expect(lacking.errorText.contains("permissions that its program needs"), "\(lacking.errorText)")
                let other = try await deployment.run(
                    .enqueue, broker("producer") + ["--queue", "video", "--to", "local:", two.path])
                #expect(await other.wait() == 77)
                #expect(
                    other.errorText.contains("\(deployment.namespace).jobs.video.")
                        && other.errorText.contains("have an administrator run 'uploadctl topology declare'"),
                    "\(other.errorText)")
            }
        }
    }
}

import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

extension Deployment {
    /// Runs `uploadctl` to its end.
    @discardableResult
    func control(_ arguments: String..., expecting status: Int32? = 0) async throws -> RunningProgram {
        try await control(arguments, expecting: status)
    }

    @discardableResult
    func control(_ arguments: [String], expecting status: Int32? = 0) async throws -> RunningProgram {
        let program = try startControl(arguments)
        let ended = await program.wait()
        if let status { #expect(ended == status, "\(arguments): \(program.outputText)\(program.errorText)") }
        return program
    }

    /// Starts an `uploadctl` command that runs until it is stopped.
    func startControl(_ arguments: String...) throws -> RunningProgram { try startControl(arguments) }

    private func startControl(_ arguments: [String]) throws -> RunningProgram {
        // A command that prints a completion script takes no further options.
        let isScript = arguments.first?.hasPrefix("--generate") == true
        return try RunningProgram(
            Program.control.url, arguments + (isScript ? [] : ["--config", configuration.path]),
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8"],
            directory: path, logs: logs, name: "uploadctl-\(UUID().uuidString)")
    }

    /// Publishes a message that no program can read to the notifier's queue.
    func publishNonsense() async throws {
        let topology = try self.topology
        try await withChannel { channel in
            try await channel.publish(Message(body: Data("nonsense".utf8)), to: "", routingKey: topology.notifier(0))
        }
    }

    /// Publishes a message of the given type to the notifier's queue.
    func publishToNotifier(_ body: Data, id: String, type: String) async throws {
        let topology = try self.topology
        let message = Message(body: body, contentType: "application/json", messageID: id, type: type)
        try await withBroker { connection in
            // The notifier may not have declared the queue yet.
            try await connection.define(topology.foundation)
            let channel = try await connection.openChannel()
            try await channel.publish(message, to: "", routingKey: topology.notifier(0))
        }
    }

    /// Waits until the ledger has this status for a job.
    func waitForStatus(_ status: String, of job: String) async throws {
        try await eventually("\(job) is \(status)") {
            guard try self.hasTable("jobs") else { return false }
            return try self.queryLedger("SELECT status FROM jobs WHERE id = '\(job)'") == [status]
        }
    }

    /// Waits until the notifier has recorded all published events: its queue is empty, and it owes no action.
    func waitForLedger() async throws {
        let topology = try self.topology
        try await withChannel { channel in
            try await eventually("the notifier is up to date") {
                for queue in topology.notifiers {
                    guard try await channel.messageCount(of: queue) == 0 else { return false }
                }
                return try self.hasTable("owed") && self.queryLedger("SELECT count(*) FROM owed") == ["0"]
            }
        }
    }

    /// Waits until a lane is empty, because workers took its jobs.
    func waitForEmptyLane(_ lane: Lane) async throws {
        let topology = try self.topology
        try await withChannel { channel in
            try await eventually("lane \(lane) is empty") {
                try await channel.messageCount(of: topology.laneQueue(.standard, lane)) == 0
            }
        }
    }

    private func withChannel(_ body: (Channel) async throws -> Void) async throws {
        let connection = try await Connection.open(
            ConnectionConfiguration(urls: [broker.url]), logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        do {
            try await body(try await connection.openChannel())
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }
}

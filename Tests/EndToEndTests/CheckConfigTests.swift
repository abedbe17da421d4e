import Foundation
import Testing
import UploadTesting

/// `--check-config` of every program: what it would use, and nothing is started or asked.
@Suite(.timeLimit(.minutes(10))) struct CheckConfigTests {
    private static let job = "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"

    /// Each kind of command, with no more arguments than it needs.
    static let commands: [[String]] = [
        ["upload-worker"], ["upload-notifier"], ["enqueue-upload"], ["uploadctl", "version"], ["uploadctl", "jobs"],
        ["uploadctl", "workers"], ["uploadctl", "watch"], ["uploadctl", "wait", job], ["uploadctl", "cancel", job],
        ["uploadctl", "queue", "stop", "video"], ["uploadctl", "worker", "drain", "web-1"],
        ["uploadctl", "staging", "sweep"],
        ["uploadctl", "destination", "test", "local"], ["uploadctl", "ledger", "status"],
        ["uploadctl", "ledger", "copy", "a.sqlite", "b.sqlite"], ["uploadctl", "topology", "delete"],
    ]

    private func run(_ command: [String], _ yaml: String) async throws -> (output: Spawn.Output, errors: String) {
        let folder = try TemporaryDirectory()
        let file = folder.url.appending(path: "upload.yaml")
        try Data(yaml.utf8).write(to: file)
        let program = Program.folder.appending(path: command[0]).path
        let arguments = Array(command.dropFirst()) + ["--config", file.path, "--check-config"]
        let result = try await Spawn.onThread { try Spawn.run(program, arguments) }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left == ["upload.yaml"], "nothing is made")
        return result
    }

    @Test(arguments: commands)
    func eachCommandShowsItsSettingsAndWhereTheyComeFrom(_ command: [String]) async throws {
        let folder = try TemporaryDirectory()
        // Nothing listens at the broker's address, and the staging area is not there.
        let (output, errors) = try await run(
            command,
            """
            broker: amqp://jo:hunter2@127.0.0.1:9/
            namespace: trial
            staging: \(folder.url.path)/staging
            destinations:
              local: {driver: directory, path: \(folder.url.path)}
            notifier: {ledger: \(folder.url.path)/ledger.sqlite}
            """)
        #expect(output.status == 0, "\(errors)")
        #expect(output.text.contains("namespace: trial  # ") && output.text.contains("upload.yaml:2\n"))
        #expect(output.text.contains("amqp://jo:***@127.0.0.1:9/") && !output.text.contains("hunter2"))
        #expect(output.text.contains("  # default\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(arguments: ["upload-worker", "upload-notifier"])
    func aSecretThatCannotBeReadIsNamedBeforeTheProgramIsStarted(_ program: String) async throws {
        let (output, errors) = try await run(
            [program], "broker: amqp://jo@127.0.0.1:9/\nbrokerPassword: file:/nowhere/password\n")
        #expect(output.status == 78 && output.text.isEmpty)
        #expect(errors.contains("/nowhere/password"), "\(errors)")
    }

    @Test(arguments: commands)
    func eachCommandRefusesAWrongFileWithItsLine(_ command: [String]) async throws {
        let (output, errors) = try await run(command, "namespace: trial\nstagging: /srv/staging\n")
        #expect(output.status == 78 && output.text.isEmpty)
        #expect(errors.contains("upload.yaml:2") && errors.contains("'staging'"), "\(errors)")
    }
}

import Foundation
import Testing
import UploadTesting

/// `enqueue-upload --wait` ends on signals, and the enqueued uploads go on.
@Suite(.timeLimit(.minutes(40))) struct WaitInterruptionTests {
    /// Starts a command that waits for a job that no worker takes, and returns when the id is printed.
    private func wait(_ deployment: Deployment, under wrapper: [String] = []) async throws -> RunningProgram {
        let file = try deployment.makeFile("a.bin", bytes: 1000)
        let program = try deployment.start(.enqueue, ["--to", "local:", "--wait", file.path], under: wrapper)
        try await eventually("the job is enqueued") { program.outputText.hasSuffix("\n") || !program.isRunning }
        return program
    }

    private func expectArrival(_ deployment: Deployment) async throws {
        try deployment.start(.notifier)
        try deployment.start(.worker)
        _ = try await deployment.waitForOutcomes(1)
        try deployment.expectArrived("a.bin", like: deployment.path.appending(path: "files/a.bin"))
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGINT])
    func aSignalEndsTheWaitWithAWordAndTheUploadGoesOn(_ signal: Int32) async throws {
        try await Deployment.with { deployment in
            // Resets the signals that the tests ignore, because a program inherits them.
            let program = try await wait(deployment, under: ["/usr/bin/env", "--default-signal"])
            program.signal(signal)
            #expect(await program.wait() == 130, "\(program.errorText)")
            #expect(
                program.errorText.hasPrefix("enqueue-upload: stopped waiting; 0 of 1 ended, 1 upload goes on; ")
                    && program.errorText.contains("uploadctl wait"),
                "\(program.errorText)")
            try await expectArrival(deployment)
        }
    }

    @Test func itSaysWhyNothingHappens() async throws {
        let gone = "gone: {driver: directory, path: /not/there}"
        try await Deployment.with(destinations: [gone]) { deployment in
            try deployment.start(.worker)
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 100).path }
            let program = try deployment.start(.enqueue, ["--to", "gone:", "--wait"] + files)
            try await eventually("the reason is told") {
                program.errorText.contains("/not/there does not exist") || !program.isRunning
            }
            #expect(program.isRunning, "\(program.errorText)")
            program.signal(SIGTERM)
            #expect(await program.wait() == 130)
        }
    }

    @Test func underNohupATerminalThatGoesChangesNothing() async throws {
        try await Deployment.with { deployment in
            let program = try await wait(deployment, under: ["/usr/bin/nohup"])
            program.signal(SIGHUP)
            try await expectArrival(deployment)
            #expect(await program.wait() == 0, "\(program.errorText)")
        }
    }
}

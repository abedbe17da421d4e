import Foundation
import Testing
import UploadTesting

/// SIGHUP: what running programs take over, and what they name as waiting for their next start.
@Suite(.timeLimit(.minutes(20))) struct ReloadTests {
    private func waitUntil(_ program: RunningProgram, says keys: String) async throws {
        try await eventually("\(program.name) names \(keys)") {
            program.errorText.split(separator: "\n").contains {
                $0.contains("changed keys count from the next start on") && $0.contains(keys)
            }
        }
    }

    @Test func `running programs take over a new destination and a new delegate, and say what waits for a start`()
        async throws
    {
        try await Deployment.with(configuration: ["worker: {parts: 3}"]) { deployment in
            let worker = try deployment.start(.worker)
            let notifier = try deployment.start(.notifier)
            for program in [worker, notifier] {
                try await eventually("\(program.name) is ready") { try await program.readiness() == "ready\n" }
            }
            let late = deployment.path.appending(path: "late")
            let second = deployment.path.appending(path: "second.ndjson")
            try FileManager.default.createDirectory(at: late, withIntermediateDirectories: true)
            let yaml = try String(contentsOf: deployment.configuration, encoding: .utf8)
                .replacing(
                    "destinations:\n", with: "destinations:\n  late: {driver: directory, path: \(late.path)}\n"
                )
                .replacing("delegates:\n", with: "delegates:\n  second: {kind: log, path: \(second.path)}\n")
                .replacing("parts: 3", with: "parts: 5")
            try Data("\(yaml)\nstagingKeepFailed: 8d\n".utf8).write(to: deployment.configuration)
            worker.signal(SIGHUP)
            notifier.signal(SIGHUP)
            try await waitUntil(worker, says: "worker.parts")
            try await waitUntil(notifier, says: "stagingKeepFailed")
            #expect(!notifier.errorText.contains("worker.parts"))

            let file = try deployment.makeFile("one.bin", bytes: 1000)
            let ids = try await deployment.enqueue(["--to", "late:", file.path])
            try await deployment.waitForOutcomes(1)
            #expect(FileManager.default.fileExists(atPath: late.appending(path: "one.bin").path))
            try await eventually("the new delegate has the outcome") {
                try ids.allSatisfy(String(contentsOf: second, encoding: .utf8).contains)
            }
        }
    }

    @Test func `a notifier that stands by takes over with the configuration that it has read anew`() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            let first = try deployment.start(.notifier)
            try await eventually("\(first.name) is ready") { try await first.readiness() == "ready\n" }
            let next = try deployment.start(.notifier)
            try await eventually("\(next.name) stands by") { try await next.readiness().contains("standing by") }
            let second = deployment.path.appending(path: "second.ndjson")
            let yaml = try String(contentsOf: deployment.configuration, encoding: .utf8)
                .replacing("delegates:\n", with: "delegates:\n  second: {kind: log, path: \(second.path)}\n")
            try Data("\(yaml)\nstagingKeepFailed: 8d\nlog: {level: debug}\n".utf8).write(to: deployment.configuration)
            next.signal(SIGHUP)
            try await waitUntil(next, says: "log.level")
            #expect(!next.errorText.contains("stagingKeepFailed"))
            #expect(await first.stop() == 0)
            try await eventually("\(next.name) is ready") { try await next.readiness() == "ready\n" }

            let file = try deployment.makeFile("one.bin", bytes: 1000)
            let ids = try await deployment.enqueue(["--to", "local:", file.path])
            try await deployment.waitForOutcomes(1)
            try await eventually("the new delegate has the outcome") {
                try ids.allSatisfy(String(contentsOf: second, encoding: .utf8).contains)
            }
        }
    }
}

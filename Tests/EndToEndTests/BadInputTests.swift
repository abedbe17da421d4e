import Foundation
import Testing
import UploadTesting

/// Bad input gives a clear error with a remedy and the right exit code, and no job is lost.
@Suite(.timeLimit(.minutes(40))) struct BadInputTests {
    private func expectRefusal(
        _ deployment: Deployment, _ arguments: [String], status: Int32, saying words: String...
    ) async throws {
        let program = try await deployment.run(.enqueue, arguments)
        #expect(await program.wait() == status, "\(arguments): \(program.errorText)")
        #expect(program.outputText.isEmpty)
        for word in words { #expect(program.errorText.contains(word), "'\(word)' in: \(program.errorText)") }
        #expect(!program.errorText.contains("Swift."), "\(program.errorText)")
        #expect(deployment.stagedFiles().isEmpty)
    }

    @Test func aMissingFileIsNamedAndNothingIsEnqueued() async throws {
        try await Deployment.with { deployment in
            let good = try deployment.makeFile("good.bin", bytes: 100_000)
            try await expectRefusal(
                deployment, ["--to", "local:", good.path, "missing.bin"], status: 66, saying: "missing.bin")
        }
    }

    @Test func whatAFileIsCalledSteersNoTerminal() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--log-level", "debug"])
            // A name with ESC, the C1 control sequence introducer, and a line end.
            let file = try deployment.makeFile("a\u{1B}[31mb\u{9B}2J\ncompleted c.txt", bytes: 10)
            for options in [["--wait"], ["--wait", "--if-exists", "fail"], ["--wait", "-o", "ndjson"], ["--dry-run"]] {
                let program = try await deployment.run(.enqueue, options + ["--to", "local:", file.path])
                let status = await program.wait()
                #expect(status == (options.contains("fail") ? 1 : 0), "\(options): \(program.errorText)")
                for text in [program.outputText, program.errorText] {
                    #expect(!text.contains("\u{1B}") && !text.contains("\u{9B}"), "\(options): \(text)")
                    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("completed c.txt") }, "\(text)")
                }
            }
            worker.signal(SIGTERM)
            _ = await worker.wait()
            #expect(!worker.errorText.contains("\u{1B}") && !worker.errorText.contains("\u{9B}"), "\(worker.errorText)")
        }
    }

    @Test(arguments: [["-", "--to", "local:x"], ["--to", "local:", "--manifest", "-"]])
    func aClosedStandardInputIsRefusedBeforeAnythingElse(_ arguments: [String]) async throws {
        try await Deployment.with { deployment in
            // The command would wait for a broker that is unreachable.
            let program = try await deployment.run(
                .enqueue, arguments + ["--broker", "amqp://guest:guest@127.0.0.1:9/"],
                under: ["/bin/sh", "-c", #"exec "$@" <&-"#, "sh"])
            #expect(await program.wait() == 66, "\(program.errorText)")
            #expect(program.errorText.contains("-: standard input is closed"), "\(program.errorText)")
            #expect(program.errorText.split(separator: "\n").count == 1, "\(program.errorText)")
        }
    }

    @Test func anUnreadableFileIsNamed() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("closed.bin", bytes: 10)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            let program = try await deployment.run(
                .enqueue, ["--to", "local:", file.path], mayReadAll: false)
            #expect(await program.wait() == 77)
            #expect(program.errorText.contains("closed.bin"))
            #expect(program.outputText.isEmpty)
        }
    }

    @Test func aBrokerWhoseCertificateIsNotTrustedIsRefused() async throws {
        let broker = try await BrokerNode.shared()
        let url = try #require(broker.tlsURL)
        let authority = try #require(broker.certificates?.authority)
        try await Deployment.with(broker: broker) { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 10)
            let refused = try await deployment.run(.enqueue, ["--to", "local:", "--broker", url, file.path])
            #expect(await refused.wait() == 78)
            #expect(refused.errorText.contains("certificate"), "\(refused.errorText)")
        }
        try await Deployment.with(broker: broker, url: url, configuration: ["tls: {caFile: \(authority)}"]) {
            deployment in
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 10)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", file.path])
            try deployment.expectArrived("a.bin", like: file)
        }
    }

    @Test func aSpecialFileIsRefused() async throws {
        try await Deployment.with { deployment in
            try await expectRefusal(deployment, ["--to", "local:x", "/dev/null"], status: 65, saying: "/dev/null")
        }
    }

    @Test func anUnknownDestinationNamesTheKnownOnes() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 10)
            try await expectRefusal(
                deployment, ["--to", "lokal:", file.path], status: 78, saying: "lokal", "local")
        }
    }

    @Test func aBrokerThatIsNotThereIsSaid() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            try await expectRefusal(
                deployment,
                ["--to", "local:", "--no-outbox", "--broker", "amqp://guest:topsecret@127.0.0.1:9/", file.path],
                status: 69, saying: "127.0.0.1:9")
        }
    }

    @Test func aRefusedLoginIsSaidWithoutThePassword() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 10)
            let url = deployment.broker.url.replacing("guest:guest", with: "guest:topsecret")
            let program = try await deployment.run(.enqueue, ["--to", "local:", "--broker", url, file.path])
            #expect(await program.wait() == 77)
            #expect(program.errorText.contains("guest") && !program.errorText.contains("topsecret"))
            let worker = try await deployment.run(.worker, ["--broker", url])
            #expect(await worker.wait() == 77)
            #expect(!worker.errorText.contains("topsecret"))
        }
    }

    @Test func aMalformedConfigurationIsSaidWithFileLineKeyAndWhatWasExpected() async throws {
        try await Deployment.with(configuration: ["worker: {concurrency: many}"]) { deployment in
            let worker = try await deployment.run(.worker, [])
            #expect(await worker.wait() == 78)
            for word in ["upload.yaml", "worker.concurrency", "many"] {
                #expect(worker.errorText.contains(word), "\(worker.errorText)")
            }
        }
        try await Deployment.with(configuration: ["notifer: {ledger: x}"]) { deployment in
            let worker = try await deployment.run(.worker, [])
            #expect(await worker.wait() == 78)
            #expect(worker.errorText.contains("notifer") && worker.errorText.contains("'notifier'"))
        }
    }

    @Test func wrongFlagsAreAUsageError() async throws {
        try await Deployment.with { deployment in
            try await expectRefusal(deployment, ["--no-such-flag", "a"], status: 64, saying: "--no-such-flag")
            try await expectRefusal(deployment, ["a.bin"], status: 64, saying: "--to")
        }
    }

    @Test func resultsThatCannotBeWrittenAreAnErrorThoughWhatWasEnqueuedStays() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100)
            let ways: [(shell: String, status: Int32, words: String)] = [
                (#""$@" >/dev/full"#, 74, "No space left on device"),
                // No file or socket may get its number, because the ids would be written into it.
                (#"exec "$@" >&-"#, 74, "standard output cannot be written"),
                // A reader that has closed the pipe needs no more output.
                (#"{ "$@"; echo "ended with $?" >&2; } | true"#, 0, "ended with 0"),
            ]
            for (number, way) in ways.enumerated() {
                let program = try await deployment.run(
                    .enqueue, ["--to", "local:\(number)", file.path], under: ["/bin/sh", "-c", way.shell, "sh"])
                #expect(await program.wait() == way.status, "\(way.shell): \(program.errorText)")
                #expect(program.errorText.contains(way.words), "\(way.shell): \(program.errorText)")
            }
            try deployment.start(.notifier)
            try deployment.start(.worker)
            _ = try await deployment.waitForOutcomes(ways.count)
            for number in ways.indices { try deployment.expectArrived("\(number)", like: file) }
        }
    }

    @Test func anUnreachableEndpointWaitsAndIsToldWithItsRemedyWhenTheAttemptsAreUsedUp() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 100)
            let program = try await deployment.run(
                .enqueue,
                ["--to", "http://127.0.0.1:9/a?X-Signature=verysecret", "--max-attempts", "2", "--wait", file.path])
            #expect(await program.wait() == 1)
            #expect(program.errorText.contains("127.0.0.1:9"))
            #expect(!program.errorText.contains("verysecret"))
            let outcome = try #require(try await deployment.waitForOutcomes(1).first)
            #expect(outcome["type"] as? String == "upload.failed")
            let data = try #require(outcome["data"] as? [String: Any])
            #expect(data["attempts"] as? Int == 2)
            #expect((data["error"] as? [String: Any])?["code"] as? String == "networkFailure")
        }
    }
}

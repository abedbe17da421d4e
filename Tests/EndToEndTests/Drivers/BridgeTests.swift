import Foundation
import Testing
import UploadTesting

/// The programs with a Bridge server written by Bridge's documentation.
@Suite(.timeLimit(.minutes(40))) struct BridgeTests {
    private func destination(_ server: BridgeServer) -> String {
        """
        study: {driver: bridge, url: '\(server.url)', appId: \(BridgeServer.appID), email: \(BridgeServer.email), \
        password: \(BridgeServer.password), waitForValidation: true, askAgain: 1s}
        """
    }

    @Test func afterAKillAnotherWorkerOnlyAsksWhatBecameOfTheFile() async throws {
        let server = try BridgeServer()
        try await Deployment.with(destinations: [destination(server)]) { deployment in
            try deployment.start(.notifier)
            let victim = try deployment.start(.worker)
            let file = try deployment.makeFile("answers.zip", bytes: 1 << 20)
            let ids = try await deployment.enqueue(["--to", "study:answers.zip", file.path])
            try await eventually("Bridge was asked twice") { server.count(.status) >= 2 }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            server.script { $0.statuses = ["succeeded"] }
            try deployment.start(.worker)
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.completed", "\(outcome)")
            #expect(server.count(.put) == 1 && server.count(.complete) <= 2)
            #expect(server.uploads.map { $0.bytes.map { Data($0) } } == [try Data(contentsOf: file)])
            let shown = try String(contentsOf: deployment.events, encoding: .utf8)
            #expect(shown.contains("record-") && !shown.contains("X-Amz-Signature"))
            #expect(!shown.contains(BridgeServer.password))
        }
    }

    @Test func aFileThatIsNotValidFailsWithWhatBridgeSaysOfIt() async throws {
        let server = try BridgeServer()
        server.script {
            $0.statuses = ["validation_in_progress", "validation_failed"]
            $0.messages = ["missing file info.json"]
        }
        try await Deployment.with(destinations: [destination(server)]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("answers.zip", bytes: 40_000)
            let program = try await deployment.run(.enqueue, ["--to", "study:answers.zip", "--wait", file.path])
            #expect(await program.wait() == 1)
            #expect(program.errorText.contains("missing file info.json"), "\(program.errorText)")
        }
    }
}

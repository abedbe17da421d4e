import Foundation
import Testing
import UploadTesting

/// `uploadctl topology` shows and checks the objects on the broker, and deletes them only when no message is lost.
@Suite(.timeLimit(.minutes(40))) struct TopologyCommandTests {
    @Test func aNamespaceIsDeletedWhenNobodyReadsAndNothingWaitsUnlessThatIsSaid() async throws {
        try await Deployment.with { deployment in
            let nothing = try await deployment.control("topology", "check", expecting: 1)
            #expect(nothing.errorText.contains("missing: exchange \(deployment.namespace).dead"))
            let worker = try deployment.start(.worker)
            try await eventually("the worker is connected") { worker.errorText.contains("connected to the broker") }
            try await eventually("the worker reads") {
                try await deployment.control("topology", "show", expecting: 0).outputText.split(separator: "\n")
                    .contains { $0.contains(".jobs.default.urgent") && !$0.contains(" 0  ok") && $0.hasSuffix("ok") }
            }
            let read = try await deployment.control("topology", "delete", "--yes", "--discard", expecting: 77)
            #expect(read.errorText.contains("stop every upload-worker"))
            await worker.stop()
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", file.path])
            try await deployment.control("topology", "check")
            let full = try await deployment.control("topology", "delete", "--yes", expecting: 77)
            // The two messages are the job, and its record for the notifier.
            #expect(full.errorText.contains("2 messages wait") && full.errorText.contains("--discard"))
            let unasked = try await deployment.control("topology", "delete", "--discard", expecting: 77)
            #expect(unasked.errorText.contains("--yes"))
            try await deployment.control("topology", "delete", "--discard", "--yes")
            let gone = try await deployment.control("topology", "show", "-o", "ndjson")
            let lines = gone.outputText.split(separator: "\n")
            #expect(lines.count > 50 && lines.allSatisfy { $0.contains("\"state\":\"missing\"") })
        }
    }
}

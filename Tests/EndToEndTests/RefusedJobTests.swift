import Foundation
import Testing
import UploadTesting

/// One message of many is too large for the broker: `enqueue-upload` names it as refused, and enqueues the others.
@Suite(.serialized, .timeLimit(.minutes(40))) struct RefusedJobTests {
    @Test func theOneFileThatTheBrokerDoesNotTakeIsNamedAndTheOthersAreUploadedOnce() async throws {
        let broker = try await BrokerNode.start(configuration: "max_message_size = 20000")
        do {
            try await Deployment.with(broker: broker) { deployment in
                // The staged ones would lose their copies if they counted as refused.
                let files = try (0..<11).map { number in
                    let bytes = number == 5 ? 30_000 : number.isMultiple(of: 2) ? 100_000 : 1000
                    return try deployment.makeFile("\(number).bin", bytes: bytes)
                }
                let program = try await deployment.run(.enqueue, ["--to", "local:"] + files.map(\.path))
                #expect(await program.wait() == 65, "\(program.errorText)")
                let text = program.errorText
                #expect(text.contains("10 of 11 were enqueued"), "\(text)")
                #expect(text.contains(files[5].path) && text.contains("max_message_size"), "\(text)")
                for (number, file) in files.enumerated() where number != 5 {
                    #expect(!text.contains(file.path), "\(file.path) in \(text)")
                }
                let ids = program.outputText.split(separator: "\n").map(String.init)
                #expect(Set(ids).count == 10)

                try deployment.start(.notifier)
                try deployment.start(.worker)
                let told = try await deployment.waitForOutcomes(10)
                #expect(Set(told.compactMap { $0["subject"] as? String }) == Set(ids))
                #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
                for (number, file) in files.enumerated() where number != 5 {
                    try deployment.expectArrived("\(number).bin", like: file)
                }
                // When this job has its outcome, every repeat before it has been read.
                let after = try deployment.makeFile("after.bin", bytes: 1000)
                _ = try await deployment.enqueue(["--to", "local:", "--wait", after.path])
                let all = try await deployment.waitForOutcomes(11)
                #expect(Set(all.compactMap { $0["subject"] as? String }).count == 11 && all.count == 11)
                #expect(
                    try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|11"])
                #expect(deployment.stagedFiles().isEmpty)
            }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }
}

import Foundation
import Testing
import UploadTesting
import Uploads

/// A message that the notifier cannot record delays no other message, and is not lost.
@Suite(.timeLimit(.minutes(40))) struct UnrecordedMessageTests {
    @Test func whatCannotBeRecordedIsListedAndReplayedAndGoodJobsFinish() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let port = try #require(notifier.port)
            let api = "http://127.0.0.1:\(port)"
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let bad = try #require(try await deployment.enqueue(["--to", "local:bad", file.path]).first)
            try await deployment.waitForStatus("queued", of: bad)
            try deployment.changeLedger("UPDATE jobs SET record = x'7B' WHERE id = '\(bad)'")

            try deployment.start(.worker)
            try await eventually("what is told of the damaged row's job is a dead letter") {
                try deployment.queryLedger("SELECT count(*) FROM unreadable") != ["0"]
            }
            var good: Set<String> = []
            for key in ["b", "c", "d"] {
                good.formUnion(try await deployment.enqueue(["--to", "local:\(key)", file.path]))
            }
            let told = try await deployment.waitForOutcomes(good.count)
            #expect(Set(told.compactMap { $0["subject"] as? String }) == good)
            for key in ["b", "c", "d"] { try deployment.expectArrived(key, like: file) }
            try deployment.expectArrived("bad", like: file)

            let list = try await deployment.control("dead", "list", "-o", "ndjson", "--api", api)
            #expect(list.outputText.contains("upload.completed"), "\(list.outputText)")
            #expect(list.outputText.contains("the ledger cannot record a message of job \(bad)"), "\(list.outputText)")
            #expect(notifier.errorText.contains("uploadctl dead replay"), "\(notifier.errorText)")
            let story = try await deployment.control("job", bad, "--api", api, expecting: nil)
            #expect(story.errorText.contains("cannot be read"), "\(story.errorText)")

            // The remedy that the reason names.
            try deployment.changeLedger("DELETE FROM jobs WHERE id = '\(bad)'")
            try await deployment.control("dead", "replay", "--all", "--yes", "--api", api)
            try await deployment.waitForStatus("completed", of: bad)
            let all = try await deployment.waitForOutcomes(good.count + 1)
            #expect(Set(all.compactMap { $0["subject"] as? String }) == good.union([bad]))
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
        }
    }
}

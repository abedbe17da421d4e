import Foundation
import Testing
import UploadTesting

/// Delayed uploads start at their time: never early, and soon after.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ScheduleTests {
    private func time(_ text: Any?) throws -> Date {
        try Date(#require(text as? String), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    @Test func anUploadThatIsPutOffIsNeverEarly() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let start = Date()
            for seconds in [1, 2, 5] {
                let file = try deployment.makeFile("after\(seconds).bin", bytes: seconds == 2 ? 100_000 : 1000)
                _ = try await deployment.enqueue(
                    ["--to", "local:", "--after", "\(seconds)s", "--batch", "b", file.path])
            }
            let outcomes = try await deployment.waitForOutcomes(3)
            for outcome in outcomes {
                #expect(outcome["type"] as? String == "upload.completed")
                let data = try #require(outcome["data"] as? [String: Any])
                let job = try #require(data["job"] as? [String: Any])
                #expect(job["batch"] as? String == "b")
                let due = try time(job["notBefore"])
                #expect(due > start)
                #expect(try time(outcome["time"]) >= due)
                #expect(data["attempts"] as? Int == 0)
            }
            // Times may lie in the past or the future; a job that is due far ahead waits on the ladder.
            let far = try deployment.makeFile("far.bin", bytes: 1000)
            let id = try #require(
                try await deployment.enqueue(["--to", "local:", "--after", "30d", far.path]).first)
            try await eventually("it waits") {
                try deployment.queryLedger("SELECT status FROM jobs WHERE id = '\(id)'") == ["waiting"]
            }
        }
    }

    @Test func anUploadThatCannotBeDoneInTimeIsGivenUp() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("late.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--expires-in", "200ms", file.path])
            let deadline = Date() + 0.5
            try await eventually("the time is over") { Date() > deadline }
            try deployment.start(.worker)
            let outcome = try #require(try await deployment.waitForOutcomes(1).first)
            #expect(outcome["type"] as? String == "upload.failed")
            let data = try #require(outcome["data"] as? [String: Any])
            #expect((data["error"] as? [String: Any])?["code"] as? String == "expired")
        }
    }
}

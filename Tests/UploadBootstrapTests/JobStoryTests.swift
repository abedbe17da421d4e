import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadBootstrap

struct JobStoryTests {
    private static let json = """
        {"job": {"id": "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90", "status": "waiting", "since": "2026-11-21T09:00:10.000Z",
          "queue": "video", "priority": "normal", "source": "staged:cat.jpg", "target": "photos:cat.jpg",
          "contentType": "image/jpeg", "size": 1048576, "metadata": {"team": "web", "a": "b\\u001b[2J"},
          "batch": "holiday", "enqueuedAt": "2026-11-20T23:59:58.000Z", "round": 1, "attempts": 1,
          "progress": {"bytesDone": 524288, "bytesPerSecond": 1024.0, "at": "2026-11-21T09:00:09.000Z"},
          "bytesSent": 1024, "activeSeconds": 2.5,
          "failures": [{"at": "2026-11-21T09:00:09.000Z", "attempt": 1, "code": "networkFailure",
            "message": "connection reset"}]},
         "explanation": {"code": "waiting", "text": "it waits until 2026-11-21T09:05:00.000Z for its next attempt"},
         "events": [
          {"type": "upload.enqueued", "time": "2026-11-20T23:59:58.000Z", "job": "j", "target": "t", "size": 1, "round": 1},
          {"type": "upload.waiting", "time": "2026-11-21T09:00:10.000Z", "job": "j", "target": "t", "size": 1,
           "round": 1, "reason": "retry", "waitingUntil": "2026-11-21T09:05:00.000Z",
           "error": {"code": "networkFailure", "message": "connection reset"}}],
         "deliveries": [{"delegate": "billing", "status": "delivered", "attempts": 1,
          "createdAt": "2026-11-21T09:00:11.000Z", "deliveredAt": "2026-11-21T09:01:00.000Z"}]}
        """

    private func lines(width: Int? = nil) throws -> [String] {
        let story = try WireJSON.decode(API.JobStory.self, from: Data(Self.json.utf8))
        let now = try #require(WireJSON.date("2026-11-21T09:02:00Z"))
        let zone = try #require(TimeZone(secondsFromGMT: 3600))
        return story.lines(LocalTime(now: now, zone: zone), width: width)
    }

    @Test func `the history is in time order, in local time, with each error once`() throws {
        let lines = try lines()
        let start = try #require(lines.firstIndex(of: "2026-11-21"))
        #expect(
            Array(lines[start...]) == [
                "2026-11-21", "  00:59:58  enqueued", "  10:00:09  attempt 1 failed: connection reset (networkFailure)",
                "  10:00:10  waits (retry) until 10:05:00",
                "  10:01:00  delegate billing took the outcome after 1 failed attempt",
            ])
    }

    @Test(arguments: [
        (#""verified": "etag""#, "completed: /a (its ETag is the MD5 of what was sent)"),
        (#""verified": "checksum""#, "completed: /a (its checksum agrees)"),
        (#""verified": "readBack""#, "completed: /a (read back and compared)"),
        (#""verified": "prayer""#, "completed: /a"), (#""size": 1"#, "completed: /a"),
    ])
    func `the proof of an object is shown`(field: String, expected: String) throws {
        let completed = """
            {"type": "upload.completed", "time": "2026-11-21T09:01:30.000Z", "job": "j", "target": "t", "size": 1,
             "round": 1, "object": {"location": "/a", "isOvertaken": false, "isKept": false, "isServerSideCopy": false, \(field)}}
            """
        let json = Self.json.replacing("\"events\": [", with: "\"events\": [\(completed),")
        let story = try WireJSON.decode(API.JobStory.self, from: Data(json.utf8))
        let now = try #require(WireJSON.date("2026-11-21T09:02:00Z"))
        let lines = story.lines(LocalTime(now: now, zone: try #require(TimeZone(secondsFromGMT: 3600))), width: nil)
        #expect(lines.contains("  10:01:30  \(expected)"), "\(lines)")
    }

    @Test func `the job and the reason why it is not running come first`() throws {
        let lines = try lines()
        #expect(lines[0] == "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90  waiting since 10:00:10")
        #expect(lines.contains("  why       it waits until 10:05:00 for its next attempt"))
        #expect(lines.contains("  metadata  a=b\u{FFFD}[2J, team=web"))
        #expect(lines.contains("  attempts  1 failed"))
        #expect(lines.contains("  so far    512 KiB (50%), 1.00 KiB/s, ETA 8:32"))
        #expect(!lines.contains { $0.hasPrefix("  key") })
    }

    @Test func `on a terminal long lines are broken between words`() throws {
        let lines = try lines(width: 40)
        #expect(lines.dropFirst().allSatisfy { PlainText.width($0) <= 40 })
        #expect(lines.contains("            its next attempt"))
    }

    @Test(arguments: [(59.0, "59s"), (60.0, "1m"), (7199.0, "1h"), (259_200.0, "3d")] as [(Double, String)])
    func `an age is shown in its largest unit`(seconds: Double, text: String) {
        #expect(LocalTime.short(seconds: seconds) == text)
    }
}

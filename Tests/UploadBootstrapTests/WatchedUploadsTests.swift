import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadBootstrap

struct WatchedUploadsTests {
    private func progress(_ job: String, rate: Double, done: Int64 = 50) -> API.JobProgress {
        API.JobProgress(
            job: job, queue: "video", destination: "photos", target: "photos:2026/\(job).mp4", size: 100,
            bytesDone: done, bytesPerSecond: rate, at: Date(timeIntervalSince1970: 0))
    }

    private func event(_ kind: String, _ job: String) throws -> API.Event {
        try WireJSON.decode(
            API.Event.self,
            from: Data(
                #"{"type": "upload.\#(kind)", "time": "2026-11-21T09:00:10Z", "job": "\#(job)", "target": "t", "size": 1, "round": 1}"#
                    .utf8))
    }

    private func queue(_ name: String, _ jobs: [String: Int]) -> API.Queue {
        API.Queue.sample(name: name, jobs: jobs)
    }

    @Test func `the most active uploads come first, as many as fit, and a last line has the totals`() {
        var watched = WatchedUploads()
        for (index, rate) in [1e3, 1e6, 1e9, 10].enumerated() {
            watched.apply(progress("job\(index)", rate: rate), at: 0)
        }
        watched.note(
            [queue("video", ["running": 5, "queued": 12, "waiting": 2]), queue("other", ["queued": 9])], of: "video")
        let all = watched.lines(columns: 79, rows: 24, at: 1)
        #expect(all.map { String($0.prefix(4)) } == ["job2", "job1", "job0", "job3", "5 ru"])
        #expect(all.last == "5 running, 12 queued, 2 waiting  955 MiB/s")
        let few = watched.lines(columns: 79, rows: 4, at: 1)
        #expect(few.count == 3)
        #expect(few.last?.hasSuffix("(2 not shown)") == true)
        watched.note([queue("video", ["queued": 1]), queue("other", ["queued": 9])], of: nil)
        #expect(watched.lines(columns: 79, rows: 24, at: 1).last?.hasPrefix("4 running, 10 queued  ") == true)
    }

    @Test func `a job that no longer runs has no bar`() throws {
        for kind in ["completed", "failed", "cancelled", "waiting", "paused", "suspect"] {
            var watched = WatchedUploads()
            watched.apply(progress("a", rate: 1), at: 0)
            watched.apply(try event(kind, "a"))
            #expect(watched.lines(columns: 79, rows: 24, at: 0).count == 1, "\(kind)")
        }
        var watched = WatchedUploads()
        watched.apply(progress("a", rate: 1), at: 0)
        watched.apply(try event("handedOver", "a"))
        #expect(watched.lines(columns: 79, rows: 24, at: 9).count == 2, "it goes on in a moment")
        #expect(watched.lines(columns: 79, rows: 24, at: 10).count == 1)
    }

    @Test func `while the notifier is away, no bars and no counts are shown`() {
        var watched = WatchedUploads()
        watched.apply(progress("a", rate: 1), at: 0)
        watched.broken()
        #expect(watched.lines(columns: 79, rows: 24, at: 0) == ["waiting for the notifier"])
        watched.connected()
        #expect(watched.lines(columns: 79, rows: 24, at: 0) == ["0 running"])
    }

    @Test func `a bar at 80 columns has everything`() {
        let bar = UploadBar(
            name: "cat.mp4", way: "video → photos", bytesDone: 27 << 20, bytesTotal: 64 << 20,
            bytesPerSecond: Double(12 << 20))
        #expect(
            bar.line(columns: 79) == "cat.mp4      video → photos  [=======>         ]   42%  12.0 MiB/s  ETA    0:04")
    }

    @Test(arguments: 1...200)
    func `no bar is wider than the terminal, and all of one width are alike`(columns: Int) {
        let names = ["a", String(repeating: "long name ", count: 20), "日本語のファイル名.mp4", "e\u{1B}[2J"]
        let lines = names.map { name in
            UploadBar(
                name: name, way: "video → photos", bytesDone: 1, bytesTotal: 3, bytesPerSecond: 1e12
            ).line(columns: columns)
        }
        for line in lines {
            #expect(PlainText.width(line) <= columns, "\(line)")
            #expect(!line.contains("\u{1B}"))
        }
        #expect(Set(lines.map { PlainText.width($0) }).count == 1)
    }

    @Test func `the least important fields are left out first`() {
        let bar = UploadBar(
            name: "cat.mp4", way: "video → photos", bytesDone: 27, bytesTotal: 64, bytesPerSecond: 12)
        #expect(!bar.line(columns: 60).contains("["))
        #expect(bar.line(columns: 60).contains("ETA") && bar.line(columns: 60).contains("photos"))
        #expect(bar.line(columns: 40).hasPrefix("cat.mp4") && !bar.line(columns: 40).contains("ETA"))
        #expect(bar.line(columns: 20).hasPrefix("cat.mp4") && bar.line(columns: 20).hasSuffix(" 42%"))
        #expect(bar.line(columns: 3) == " 42")
    }
}

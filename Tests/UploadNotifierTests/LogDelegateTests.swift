import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Log delegate")
struct LogDelegateTests {
    private func events(_ count: Int) -> [UploadEvent] {
        (0..<count).map {
            UploadEvent(kind: .completed, of: Baton(job: Sample.job(key: "\($0)")), at: Sample.start).asOutcome
        }
    }

    private func lines(_ path: String) throws -> [UploadEvent] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .map { try WireJSON.decode(UploadEvent.self, from: Data($0.utf8)) }
    }

    @Test func `every event is a line, in order, behind what was there`() async throws {
        let scratch = try Scratch()
        let path = scratch.file("events.ndjson")
        let events = events(5)
        for part in [events[..<2], events[2...]] {
            let log = try LogDelegate(name: "audit", LogConfiguration(path: path), logger: quiet)
            try await log.deliver(Array(part))
        }
        #expect(try lines(path) == events)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\n"))
    }

    @Test func `a large file is put aside, the oldest beyond the count is dropped, no line is cut`() async throws {
        let scratch = try Scratch()
        let path = scratch.file("events.ndjson")
        let events = events(12)
        let size = try WireJSON.encode(events[0]).count
        let log = try LogDelegate(
            name: "audit", LogConfiguration(path: path, rotateBytes: Int64(size * 2 + size / 2), keepCount: 2),
            logger: quiet)
        try await log.deliver(events)
        #expect(try lines(path) == Array(events[10...]))
        #expect(try lines(path + ".1") == Array(events[8..<10]))
        #expect(try lines(path + ".2") == Array(events[6..<8]))
        #expect(!FileManager.default.fileExists(atPath: path + ".3"))
    }

    @Test func `a file that was moved away is opened anew`() async throws {
        let scratch = try Scratch()
        let path = scratch.file("events.ndjson")
        let events = events(2)
        let log = try LogDelegate(name: "audit", LogConfiguration(path: path), logger: quiet)
        try await log.deliver(events[0])
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        try await log.deliver(events[1])
        #expect(try lines(path + ".old") == [events[0]])
        #expect(try lines(path) == [events[1]])
    }

    @Test func `a line that a crash has cut is ended before the next`() async throws {
        let scratch = try Scratch()
        let path = scratch.file("events.ndjson")
        try Data("{\"cut".utf8).write(to: URL(filePath: path))
        let event = events(1)[0]
        try await LogDelegate(name: "audit", LogConfiguration(path: path), logger: quiet).deliver(event)
        let text = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(text.count == 2)
        #expect(text.first == "{\"cut")
    }

    @Test func `a path that cannot be opened is refused with the delegate's name`() throws {
        let error = #expect(throws: UploadError.self) {
            _ = try LogDelegate(name: "audit", LogConfiguration(path: "/dev/null/x"), logger: quiet)
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("audit") == true)
    }
}

import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct EnqueueScheduleTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let berlin = TimeZone(identifier: "Europe/Berlin")

    private func schedule(
        after: String? = nil, at: String? = nil, expiresIn: String? = nil
    ) throws(ProgramError) -> EnqueueSchedule {
        try EnqueueSchedule(after: after, at: at, expiresIn: expiresIn, now: now, zone: berlin ?? .gmt)
    }

    @Test func `durations count from now`() throws {
        let schedule = try schedule(after: "10m", expiresIn: "1d")
        #expect(schedule.notBefore == now + 600)
        #expect(schedule.expiresAt == now + 86_400)
        #expect(try self.schedule() == EnqueueSchedule())
    }

    @Test func `a time is local unless it says otherwise`() throws {
        let local = try schedule(at: "2026-09-22T08:00").notBefore
        #expect(local == (try schedule(at: "2026-09-22T06:00:00Z").notBefore))
        #expect(local == (try schedule(at: "2026-09-22T08:00:00+02:00").notBefore))
        #expect(local == (try schedule(at: "2026-09-22 08:00:00").notBefore))
        #expect(local == Date(timeIntervalSince1970: 1_790_056_800))
    }

    @Test(arguments: [
        "tomorrow", "2026-02-30T08:00", "2026-13-01T08:00", "2026-03-29T02:30", "2026-09-22", "08:00", "",
        "2026-09-22T25:00",
    ])
    func `what is no time is refused`(text: String) {
        let error = #expect(throws: ProgramError.self) { try schedule(at: text) }
        #expect(error?.exitCode == .usage)
    }

    @Test(arguments: ["0", "-5m", "10", "m", "soon"])
    func `what is no duration is refused`(text: String) {
        #expect(throws: ProgramError.self) { try schedule(after: text) }
        #expect(throws: ProgramError.self) { try schedule(expiresIn: text) }
    }

    @Test func `what contradicts itself is refused`() {
        #expect(throws: ProgramError.self) { try schedule(after: "1m", at: "2026-09-22T08:00") }
        #expect(throws: ProgramError.self) { try schedule(after: "2h", expiresIn: "1h") }
        #expect(throws: ProgramError.self) { try schedule(after: "1h", expiresIn: "1h") }
        #expect(throws: ProgramError.self) { try schedule(after: "31d") }
        #expect(throws: Never.self) { try schedule(after: "30d", expiresIn: "31d") }
    }

    @Test func `a time that has passed is refused, and the present minute is none`() throws {
        let error = #expect(throws: ProgramError.self) { try schedule(at: "2020-01-01T00:00:00Z") }
        #expect(error?.exitCode == .usage)
        #expect(error?.description.contains("2020-01-01T00:00:00.000Z, and it is 2026-09-21T") == true)
        #expect(try schedule(at: WireJSON.timestamp(now - 59)).notBefore == now - 59)
    }

    @Test func `the plan carries schedule, batch and key, and a manifest line has the last word`() throws {
        let files = try Files()
        let one = try files.write("one")
        let two = try files.write("two")
        var request = EnqueueRequest(paths: [FilePath(one)], destination: try DestinationArgument("x:"))
        request.manifest = "list"
        request.batch = "all"
        request.schedule.notBefore = now + 5
        let manifest = """
            {"path": "\(two)", "notBefore": "2026-09-22T06:00:00Z", "batch": "b", "idempotencyKey": "k"}
            """
        let uploads = try EnqueuePlan(request, manifest: manifest, now: now).uploads
        #expect(uploads.map(\.wishes.batch) == ["all", "b"])
        #expect(uploads.map(\.wishes.idempotencyKey) == [nil, "k"])
        #expect(uploads.map(\.wishes.schedule.notBefore) == [now + 5, Date(timeIntervalSince1970: 1_790_056_800)])
    }

    @Test func `one idempotency key is for one upload`() throws {
        let files = try Files()
        let paths = [try files.write("one"), try files.write("two")]
        var request = EnqueueRequest(paths: paths.map { FilePath($0) }, destination: try DestinationArgument("x:"))
        request.idempotencyKey = "k"
        #expect(throws: ProgramError.self) { try EnqueuePlan(request, now: now) }
        request.paths.removeLast()
        #expect(try EnqueuePlan(request, now: now).uploads.map(\.wishes.idempotencyKey) == ["k"])
        request.idempotencyKey = "a\nb"
        #expect(throws: ProgramError.self) { try EnqueuePlan(request, now: now) }
        request.idempotencyKey = nil
        request.manifest = "list"
        let lines = paths.map { "{\"path\": \"\($0)\", \"idempotencyKey\": \"k\"}" }.joined(separator: "\n")
        request.paths = []
        let error = #expect(throws: ProgramError.self) { try EnqueuePlan(request, manifest: lines, now: now) }
        #expect(error?.exitCode == .badInput)
    }
}

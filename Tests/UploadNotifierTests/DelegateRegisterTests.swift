import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Registered delegates in the ledger")
struct DelegateRegisterTests {
    private let scratch: Scratch
    private let ledger: Ledger

    init() throws {
        scratch = try Scratch()
        ledger = try Ledger.open(path: scratch.file())
    }

    private func registration(_ name: String) -> DelegateRegistration {
        DelegateRegistration(name: name, definition: Data(#"{"secret":"hidden"}"#.utf8), createdAt: Sample.start)
    }

    @Test func `they are kept as they were registered and changed, for the owner of the file alone`() async throws {
        try await ledger.register(registration("b"))
        try await ledger.register(registration("a"))
        let taken = await #expect(throws: UploadError.self) { try await ledger.register(registration("a")) }
        #expect(taken?.code == .rejected)
        let later = Sample.start.addingTimeInterval(60)
        try await ledger.redefine("b", Data("new".utf8), at: later)
        let unknown = await #expect(throws: UploadError.self) { try await ledger.redefine("c", Data(), at: later) }
        #expect(unknown?.code == .rejected)
        try ledger.close()
        let again = try Ledger.open(path: scratch.file())
        var changed = registration("b")
        changed.definition = Data("new".utf8)
        changed.changedAt = later
        let kept = try await again.registrations()
        #expect(kept == [registration("a"), changed])
        #expect("\(kept) \(String(reflecting: kept))".contains("hidden") == false)
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file() + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test func `what waits for one keeps it from being removed unless it is to be discarded`() async throws {
        try await ledger.register(registration("hook"))
        _ = try await ledger.record(
            (0..<3).map { Sample.event(.completed, Sample.job(key: "\($0)")) }, view: ControlView(),
            routes: [DeliveryRoute(delegate: "hook"), DeliveryRoute(delegate: "other")], now: Sample.start)
        let first = try await ledger.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 1)
        try await ledger.delivered(first.map(\.id), at: Sample.start)
        #expect(try await ledger.unregister("hook", discarding: false, at: Sample.start) == 2)
        #expect(try await ledger.registrations().first?.removedAt == nil)
        #expect(try await ledger.unregister("hook", discarding: true, at: Sample.start) == 2)
        #expect(try await ledger.registrations().first?.removedAt == Sample.start)
        let change = await #expect(throws: UploadError.self) {
            try await ledger.redefine("hook", Data(), at: Sample.start)
        }
        #expect(change?.code == .rejected)
        #expect(try await ledger.forget("hook") == 2)
        #expect(try await ledger.registrations().isEmpty)
        #expect(try await ledger.status(of: "hook").backlog == 0)
        #expect(try await ledger.status(of: "other").backlog == 3)
        let gone = await #expect(throws: UploadError.self) {
            try await ledger.unregister("hook", discarding: true, at: Sample.start)
        }
        #expect(gone?.code == .rejected)
    }

    @Test func `outcomes of before are delivered once, as the filter and the time say`() async throws {
        let jobs = (0..<600).map { Sample.job(key: "\($0)") }
        for (index, part) in [jobs[..<100], jobs[100...]].enumerated() {
            _ = try await ledger.record(
                part.enumerated().map { Sample.event($0.offset % 2 == 0 ? .completed : .failed, $0.element) },
                view: ControlView(), routes: [], now: Sample.start.addingTimeInterval(Double(index) * 1000))
        }
        // A job that has not ended has no outcome to deliver.
        _ = try await ledger.record(
            [.job(Sample.job(), maybeRepeated: false)], view: ControlView(), routes: [], now: Sample.start)
        let ended = try await ledger.jobs(LedgerFilter(limit: 1)).jobs.first?.since
        let (from, now) = (try #require(ended).addingTimeInterval(-5000), Sample.start.addingTimeInterval(9999))
        let route = DeliveryRoute(delegate: "late", kinds: [.failed])
        let count = try await ledger.deliverPast(route, from: from, to: .distantFuture, at: now)
        #expect(count == 300)
        #expect(try await ledger.deliverPast(route, from: from, to: .distantFuture, at: now) == 0)
        #expect(try await ledger.deliverPast(route, from: from, to: from, at: now) == 0)
        let due = try await ledger.due(for: "late", ordered: false, now: now, excluding: [], limit: 1000)
        #expect(due.count == 300)
        #expect(due.allSatisfy { $0.event.kind == .failed && $0.event.id.hasSuffix(".1.ended") })
    }
}

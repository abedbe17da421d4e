import Foundation
import LinuxFiles
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient

@Suite("What programs of one identifier know together", .timeLimit(.minutes(10)))
struct ClientStoreTests {
    private let scratch: TemporaryDirectory
    private let job: UploadJob

    init() throws {
        scratch = try TemporaryDirectory("store")
        job = UploadJob(
            source: .inline(Data([1])), destination: .named(DestinationName(unchecked: "archive"), key: "a"), size: 1)
    }

    private func open() async throws -> ClientStore {
        try await ClientStore.open(
            try UploadIdentifier("app"), in: try await StagingArea.open(at: scratch.path("staging")))
    }

    private func event(_ kind: EventKind = .completed, round: Int = 1) -> UploadEvent {
        UploadEvent(kind: kind, of: Baton(job: job, round: round), at: Date())
    }

    @Test func `an outcome is noted once, and is no news once it was told`() async throws {
        let store = try await open()
        try await store.put(ClientUpload(job: job, startedBy: "me"))
        let noted = try #require(try await store.end(with: event()))
        #expect(noted.startedBy == "me" && noted.end?.id == "\(job.id).1.ended")
        let open = try await store.uploads()
        #expect(open.isEmpty)
        let again = try await store.end(with: event(.failed))
        #expect(again == nil)
        let untold = try await self.open().untold()
        #expect(untold.compactMap { $0.end?.id } == [noted.end?.id])
        try await store.finish(noted)
        let afterwards = try await store.end(with: event())
        let rest = try await store.untold()
        #expect(afterwards == nil && rest.isEmpty)
        let known = try await store.outcome(of: job.id)
        #expect(known?.end?.kind == .completed)
    }

    @Test func `an outcome of an earlier round than the one that is awaited is no news`() async throws {
        let store = try await open()
        try await store.put(ClientUpload(job: job, round: 2, startedBy: "me"))
        let early = try await store.end(with: event(.failed, round: 1))
        #expect(early == nil)
        let second = try await store.end(with: event(round: 2))
        #expect(second?.round == 2)
    }

    @Test func `an outcome of an upload that the store does not know waits for any delegate`() async throws {
        let noted = try await open().end(with: event())
        #expect(noted?.startedBy == "")
    }

    @Test func `one program at a time tells an outcome`() async throws {
        let store = try await open()
        let noted = try #require(try await store.end(with: event()))
        let claim = try #require(try await store.claim(noted))
        let other = try await self.open().claim(noted)
        #expect(other == nil)
        claim.unlock()
        let next = try await self.open().claim(noted)
        #expect(next != nil)
        try await store.finish(noted)
        let late = try await store.claim(noted)
        #expect(late == nil)
    }

    @Test func `what a teller that died has marked as told is not told again`() async throws {
        let store = try await open()
        let noted = try #require(try await store.end(with: event()))
        // The files after a death between the last two steps of the delivery.
        let ended = "staging/clients/app/ended/\(noted.id).1"
        let record = try #require(scratch.read(ended))
        try await store.finish(noted)
        try scratch.write(record, to: ended)
        let claim = try await store.claim(noted)
        let rest = try await store.untold()
        #expect(claim == nil && rest.isEmpty)
    }

    @Test func `outcomes are forgotten after a time, even those that no delegate took`() async throws {
        let store = try await open()
        let noted = try #require(try await store.end(with: event()))
        try await store.prune(now: Date())
        let untold = try await store.untold()
        #expect(untold.compactMap { $0.end?.id } == [noted.end?.id])
        try await store.prune(now: Date(timeIntervalSinceNow: ClientStore.memory + 60))
        let rest = try await store.untold()
        #expect(rest.isEmpty)
    }

    @Test func `a record that a dead program was writing is removed after a day`() async throws {
        let store = try await open()
        for folder in ["starting", "open", "ended", "told"] {
            try scratch.write([1], to: "staging/clients/app/\(folder)/.\(job.id).partial")
        }
        func left() throws -> Int {
            try ["starting", "open", "ended", "told"].map { try scratch.names(in: "staging/clients/app/\($0)").count }
                .reduce(0, +)
        }
        try await store.prune(now: Date())
        #expect(try left() == 4)
        try await store.prune(now: Date(timeIntervalSinceNow: ClientStore.unfinishedMemory + 60))
        #expect(try left() == 0)
    }

    @Test func `what was accepted moves, and what has ended does not come back by that`() async throws {
        let store = try await open()
        try await store.begin(ClientUpload(job: job, startedBy: "me"))
        let starting = try await store.startingUploads(), ids = try await store.openIDs()
        #expect(starting.map(\.id) == [job.id] && ids == [job.id])
        try await store.accepted(job.id)
        let isWithdrawn = try await store.withdraw(job.id)
        let open = try await store.uploads(), rest = try await store.startingUploads()
        #expect(!isWithdrawn && open.map(\.id) == [job.id] && rest.isEmpty)
        // An upload that ends before its program records that it was accepted.
        try await store.begin(ClientUpload(job: job, startedBy: "me"))
        let noted = try await store.end(with: event())
        try await store.accepted(job.id)
        let left = try await store.uploads()
        #expect(noted?.startedBy == "me" && left.isEmpty)
    }

    @Test func `only this program's own outcomes count as told because its handles gave them`() async throws {
        let store = try await open()
        try await store.put(ClientUpload(job: job, startedBy: "me"))
        let noted = try #require(try await store.end(with: event()))
        let outcome = try #require(noted.end?.id)
        try await store.countAsTold([outcome, "nothing.1.ended"], startedBy: "another")
        let untold = try await store.untold()
        #expect(untold.count == 1)
        try await store.countAsTold([outcome], startedBy: "me")
        let rest = try await store.untold()
        let known = try await store.outcome(of: job.id)
        let again = try await store.end(with: event())
        #expect(rest.isEmpty && known?.end?.id == outcome && again == nil)
    }

    @Test func `a program lives while it keeps its lock`() async throws {
        let store = try await open()
        let lock = try await store.lock()
        let isAlive = await store.isAlive(lock.token)
        #expect(isAlive)
        lock.release()
        for token in [lock.token, UUID().uuidString, "", "../open"] {
            let isAlive = await store.isAlive(token)
            #expect(!isAlive)
        }
    }
}

import Foundation
import LinuxFiles
import Logging
import Testing
import UploadNotifier
import UploadSources
import UploadTesting
import Uploads

/// The clean-up with a real ledger and a real staging area.
@Suite(.timeLimit(.minutes(10)))
struct StagingSweepTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea
    private let ledger: Ledger
    private let now = Date()
    private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
        ledger = try Ledger.open(path: scratch.path("ledger.sqlite"))
    }

    private func stage(_ key: String) async throws -> UploadJob {
        try scratch.write("hello", to: "original")
        let staged = try await area.stage(fileAt: scratch.path("original"))
        return UploadJob(
            source: staged.reference, destination: .named(DestinationName(unchecked: "x"), key: key), size: staged.size,
            digests: staged.digests, enqueuedAt: now)
    }

    private func name(_ job: UploadJob) -> String {
        if case .staged(_, let name) = job.source { name } else { "" }
    }

    private func record(_ job: UploadJob, _ kind: EventKind, daysAgo: Double) async throws {
        let event = UploadEvent(kind: kind, of: Baton(job: job), at: now - daysAgo * 86_400)
        _ = try await ledger.record(
            [.job(job, maybeRepeated: false), .event(event)], view: ControlView(), routes: [], now: now)
    }

    /// Sets the times of all files back by so many days.
    private func age(days: Double) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: area.path) {
            try FileManager.default.setAttributes(
                [.modificationDate: now - days * 86_400], ofItemAtPath: "\(area.path)/\(path)")
        }
    }

    private func sweep(isUpToDate: Bool = true) async -> Int {
        let path = area.path
        return await StagingSweeper(ledger: ledger, logger: quiet) { () throws(UploadError) in
            [try await StagingArea.existing(at: path)].compactMap(\.self)
        }.sweep(now: now) { isUpToDate }
    }

    @Test func `an ordered sweep lists before it removes, and removes what was listed`() async throws {
        let (ended, live) = (try await stage("ended"), try await stage("live"))
        try await record(ended, .completed, daysAgo: 1)
        try await record(live, .waiting, daysAgo: 1)
        try age(days: 1)
        let path = area.path
        let sweeper = StagingSweeper(ledger: ledger, logger: quiet) { () throws(UploadError) in
            [try await StagingArea.existing(at: path)].compactMap(\.self)
        }
        let looked = try await sweeper.sweep(dryRun: true, now: now) { true }
        #expect(looked.items.map(\.name) == [name(ended)])
        #expect(looked.found == 1 && looked.removed == 0 && looked.bytes == 5 && looked.listed == 2)
        #expect(try copies == [name(ended), name(live)])
        let error = await #expect(throws: UploadError.self) {
            try await sweeper.sweep(dryRun: false, now: now) { false }
        }
        #expect(error?.code == .interrupted)
        let swept = try await sweeper.sweep(dryRun: false, now: now) { true }
        #expect(swept.removed == 1)
        #expect(try copies == [name(live)])
    }

    private var copies: Set<String> {
        get throws {
            Set(try scratch.names(in: "staging").filter { !$0.hasPrefix(".") && !$0.hasSuffix(".blocks") })
                .subtracting(["outbox", "keys"])
        }
    }

    @Test func `what ended jobs left goes, what live, failed, unknown and kept ones need stays`() async throws {
        let completed = try await stage("completed")
        let failed = try await stage("failed")
        let failedLongAgo = try await stage("old")
        let live = try await stage("live")
        let unknown = try await stage("unknown")
        let kept = try await stage("kept")
        try await record(completed, .completed, daysAgo: 1)
        try await record(failed, .failed, daysAgo: 1)
        try await record(failedLongAgo, .failed, daysAgo: 8)
        try await record(live, .waiting, daysAgo: 20)
        _ = try await area.outbox().keep(count: 1) { _ throws(UploadError) in kept }
        try age(days: 20)
        #expect(await sweep(isUpToDate: false) == 0)
        #expect(await sweep() == 2)
        #expect(try copies == Set([failed, live, unknown, kept].map(name)))
        try age(days: 40)
        #expect(await sweep() == 1)
        #expect(try copies == Set([failed, live, kept].map(name)))
        for job in [completed, unknown] {
            #expect(!FileManager.default.fileExists(atPath: "\(area.path)/\(name(job)).blocks"))
        }
    }

    @Test func `a copy that a process has locked stays until it is unlocked`() async throws {
        let job = try await stage("locked")
        try await record(job, .completed, daysAgo: 2)
        try age(days: 2)
        let file = try File.open("\(area.path)/\(name(job))", O_RDONLY)
        #expect(try file.tryLock())
        #expect(await sweep() == 0)
        #expect(try copies == [name(job)])
        file.unlock()
        #expect(await sweep() == 1)
        #expect(try copies.isEmpty)
    }

    @Test func `unfinished files of a crash go after a day, and the area's own id never`() async throws {
        _ = try await area.outbox()
        for name in [".x.partial", "y.blocks", "outbox/.z.json.1.partial", ".other"] {
            try scratch.write("x", to: "staging/\(name)")
        }
        try age(days: 0.5)
        #expect(await sweep() == 0)
        try age(days: 2)
        #expect(await sweep() == 3)
        #expect(try scratch.names(in: "staging") == [".longshore-area", ".other", "outbox"])
        #expect(try scratch.names(in: "staging/outbox").isEmpty)
    }

    @Test func `keys are forgotten after 31 days`() async throws {
        var job = try await stage("keyed")
        job.idempotencyKey = "k"
        #expect(try await area.keys().register(job) == nil)
        try age(days: 30)
        #expect(await sweep() == 0)
        #expect(try await area.keys().register(job) != nil)
        try age(days: 32)
        #expect(await sweep() == 2, "the copy that the ledger does not know, and the key")
        #expect(try scratch.names(in: "staging/keys").isEmpty)
    }

    @Test func `a host without the staging area cleans up nothing and creates nothing`() async throws {
        let path = scratch.path("nowhere")
        let count = await StagingSweeper(ledger: ledger, logger: quiet) { () throws(UploadError) in
            [try await StagingArea.existing(at: path)].compactMap(\.self)
        }.sweep(now: now) { true }
        #expect(count == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

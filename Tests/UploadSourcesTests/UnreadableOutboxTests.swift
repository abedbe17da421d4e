import Foundation
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

/// Files in the outbox that cannot be opened: they hold up the serial jobs behind them, and nothing else.
@Suite(.timeLimit(.minutes(20)))
struct UnreadableOutboxTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
    }

    /// Jobs in the order of their ids.
    private func jobs(_ isSerial: Bool...) -> [UploadJob] {
        let ids = isSerial.map { _ in JobID() }.sorted()
        return zip(ids, isSerial).map { id, isSerial in
            var job = UploadJob(
                source: .inline(Data("hello".utf8)),
                destination: .named(DestinationName(unchecked: "x"), key: id.rawValue), size: 5)
            job.id = id
            if isSerial { job.serial = SerialPosition() }
            return job
        }
    }

    private func keep(_ jobs: [UploadJob]) async throws -> Outbox {
        let outbox = try await area.outbox()
        let keepings = await outbox.keep(count: jobs.count) { index throws(UploadError) in jobs[index] }
        #expect(keepings.allSatisfy { $0.isKept })
        return outbox
    }

    private func file(_ name: String) -> String { scratch.path("staging/outbox/\(name)") }

    private func link(_ name: String) throws {
        try? FileManager.default.removeItem(atPath: file(name))
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: "/nowhere")
    }

    private func body(_ job: UploadJob) throws -> String { String(decoding: try WireJSON.encode(job), as: UTF8.self) }

    private var files: [String] { get throws { try scratch.names(in: "staging/outbox") } }

    private func publish(_ outbox: Outbox, atMost count: Int = 100) async throws -> Outbox.Pass {
        try await outbox.publish(atMost: count) { _ throws(UploadError) in }
    }

    @Test func `one that cannot be opened is set aside, and holds up only the serial jobs behind it`() async throws {
        let jobs = jobs(true, true, true, false)
        let outbox = try await keep(jobs)
        try link("\(jobs[1].id).json")
        try scratch.write("{", to: "staging/outbox/0-broken.json")

        let first = try await publish(outbox)
        #expect(first.published == [jobs[0].id, jobs[3].id])
        #expect(first.unreadable.map(\.name) == ["\(jobs[1].id).json.unreadable"])
        #expect(first.unreadable.first?.error.message.contains("symbolic link") == true)
        #expect(first.setAside.map(\.name) == ["0-broken.json.corrupt"], "told although a later one failed")
        #expect(first.failure == nil)
        let left = ["0-broken.json.corrupt", "\(jobs[1].id).json.unreadable", "\(jobs[2].id).json"]
        #expect(try files == left)

        let second = try await publish(outbox)
        #expect(second.published.isEmpty)
        #expect(second.unreadable.map(\.name) == ["\(jobs[1].id).json.unreadable"])
        #expect(try files == left)

        // The file becomes readable in its place.
        try FileManager.default.removeItem(atPath: file("\(jobs[1].id).json.unreadable"))
        try scratch.write(try body(jobs[1]), to: "staging/outbox/\(jobs[1].id).json.unreadable")
        let third = try await publish(outbox)
        #expect(third.published == [jobs[1].id, jobs[2].id])
        #expect(third.unreadable.isEmpty)
        #expect(try files == ["0-broken.json.corrupt"])
    }

    @Test func `the serial jobs go on when the file is removed`() async throws {
        let jobs = jobs(true, true)
        let outbox = try await keep(jobs)
        try link("\(jobs[0].id).json")
        #expect(try await publish(outbox).published.isEmpty)
        try FileManager.default.removeItem(atPath: file("\(jobs[0].id).json.unreadable"))
        #expect(try await publish(outbox).published == [jobs[1].id])
        #expect(try files.isEmpty)
    }

    @Test func `one that cannot be renamed either is left where it is in each pass`() async throws {
        let jobs = jobs(false, true, false)
        let outbox = try await keep(jobs)
        try link("\(jobs[0].id).json")
        // The name for unreadable files is taken.
        try FileManager.default.createDirectory(
            atPath: file("\(jobs[0].id).json.unreadable"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            atPath: file("\(jobs[0].id).json.corrupt"), withIntermediateDirectories: false)
        let first = try await publish(outbox)
        #expect(first.published == [jobs[2].id])
        #expect(first.unreadable.map(\.name) == ["\(jobs[0].id).json"])
        // A directory is no job, and cannot be renamed.
        #expect(first.setAside.map(\.name) == ["\(jobs[0].id).json.unreadable"])
        let second = try await publish(outbox)
        #expect(second.unreadable.map(\.name) == ["\(jobs[0].id).json"])
        #expect(second.failure == nil)
    }

    @Test func `while a job cannot be read no staged copy is called superfluous`() async throws {
        let jobs = jobs(false)
        let outbox = try await keep(jobs)
        try link("\(jobs[0].id).json")
        _ = try await publish(outbox)
        await #expect(throws: UploadError.self) { try await area.leftovers(changedBefore: .distantFuture) }
        try FileManager.default.removeItem(atPath: file("\(jobs[0].id).json.unreadable"))
        _ = try await area.leftovers(changedBefore: .distantFuture)
    }

    @Test func `a pass says whether more may wait`() async throws {
        let outbox = try await keep(jobs(false, false, false))
        #expect(try await publish(outbox, atMost: 2).isFull)
        #expect(try await publish(outbox, atMost: 2).isFull == false)
    }

    /// A directory lists its files in an order of its own.
    @Test func `more jobs than a page holds are published in the order of their ids, and none is out of reach`()
        async throws
    {
        let count = 10_200
        let outbox = try await area.outbox()
        let all = (0..<count + 3).map { _ in JobID() }.sorted()
        let template = jobs(true)[0]
        for (index, id) in all.enumerated().shuffled() {
            var job = template
            job.id = id
            if index >= count { job.serial = nil }
            try WireJSON.encode(job).write(to: URL(filePath: file("\(id).json")))
        }
        try link("00000000-broken.json")
        // The job is behind more waiting serial jobs than one page holds.
        #expect(try await publish(outbox, atMost: count).published == Array(all.suffix(3)))
        try FileManager.default.removeItem(atPath: file("00000000-broken.json.unreadable"))
        let published = Mutex<[JobID]>([])
        _ = try await outbox.publish(atMost: count) { job throws(UploadError) in
            published.withLock { $0.append(job.id) }
        }
        #expect(published.withLock { $0 } == Array(all.prefix(count)))
        #expect(try files.isEmpty)
    }
}

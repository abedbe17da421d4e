import Foundation
import LinuxFiles
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadSources

@Suite(.timeLimit(.minutes(10)))
struct OutboxTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
    }

    private func jobs(_ count: Int) -> [UploadJob] {
        (0..<count).map { index in
            UploadJob(
                source: .inline(Data("hello".utf8)),
                destination: .named(DestinationName(unchecked: "x"), key: "\(index)"), size: 5)
        }
    }

    private func keep(_ jobs: [UploadJob]) async throws -> Outbox {
        let outbox = try await area.outbox()
        let keepings = await outbox.keep(count: jobs.count) { index throws(UploadError) in jobs[index] }
        #expect(keepings.allSatisfy { $0.isKept })
        return outbox
    }

    private final class Log: Sendable {
        let published = Mutex<[JobID]>([])
    }

    private var files: [String] { get throws { try scratch.names(in: "staging/outbox") } }

    @Test func `what is kept is published whole, in the order of ids, and is gone then`() async throws {
        let jobs = jobs(20)
        let outbox = try await keep(jobs)
        #expect(try files == jobs.map { "\($0.id).json" }.sorted())
        let status = try File.status(of: outbox.path + "/" + files[0])
        #expect(status.mode == 0o640)
        #expect(try File.status(of: outbox.path).mode == 0o2770)
        let published = Mutex<[JobID]>([])
        let pass = try await outbox.publish(atMost: 15) { job throws(UploadError) in
            #expect(job.source == .inline(Data("hello".utf8)))
            published.withLock { $0.append(job.id) }
        }
        #expect(published.withLock { $0 } == Array(jobs.map(\.id).sorted().prefix(15)))
        #expect(pass.published.count == 15)
        #expect(try files.count == 5)
    }

    @Test func `one that is not confirmed stays, and ends the pass`() async throws {
        let outbox = try await keep(jobs(3))
        let tries = Mutex(0)
        let pass = try await outbox.publish(atMost: 10) { _ throws(UploadError) in
            tries.withLock { $0 += 1 }
            throw UploadError(.networkFailure, "away")
        }
        #expect(tries.withLock { $0 } == 1)
        #expect(pass.failure?.code == .networkFailure)
        #expect(try files.count == 3)
    }

    @Test func `one that the broker refuses stays, and does not block the others`() async throws {
        let jobs = jobs(3)
        let outbox = try await keep(jobs)
        let pass = try await outbox.publish(atMost: 10) { job throws(UploadError) in
            if job.id == jobs[0].id { throw UploadError(.serverFailure, "full") }
        }
        #expect(pass.published.count == 2)
        #expect(pass.refused.map(\.job) == [jobs[0].id])
        #expect(try files == ["\(jobs[0].id).json"])
    }

    @Test func `of several that publish at once, each job has one`() async throws {
        let jobs = jobs(50)
        let outbox = try await keep(jobs)
        let log = Log()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    _ = try? await outbox.publish(atMost: 100) { job throws(UploadError) in
                        log.published.withLock { $0.append(job.id) }
                        for _ in 0..<10 { await Task.yield() }
                    }
                }
            }
        }
        #expect(log.published.withLock { $0.sorted() } == jobs.map(\.id).sorted())
        #expect(try files.isEmpty)
    }

    @Test(arguments: ["{", "{}", ""])
    func `what is no job is set aside and does not block the others`(text: String) async throws {
        let jobs = jobs(2)
        let outbox = try await keep(jobs)
        try scratch.write(text, to: "staging/outbox/0-broken.json")
        try scratch.write(
            String(decoding: try WireJSON.encode(jobs[0]), as: UTF8.self), to: "staging/outbox/1-other-name.json")
        let pass = try await outbox.publish(atMost: 10) { _ throws(UploadError) in }
        #expect(pass.published.count == 2)
        #expect(pass.setAside.map(\.name) == ["0-broken.json.corrupt", "1-other-name.json.corrupt"])
        #expect(try files == ["0-broken.json.corrupt", "1-other-name.json.corrupt"])
        let second = try await outbox.publish(atMost: 10) { _ throws(UploadError) in }
        #expect(second.setAside.isEmpty)
    }

    @Test func `where nothing was ever kept there is no outbox`() async throws {
        #expect(try await Outbox.open(inAreaAt: area.path) == nil)
        #expect(try await Outbox.open(inAreaAt: scratch.path("nowhere")) == nil)
        _ = try await keep(jobs(1))
        #expect(try await Outbox.open(inAreaAt: area.path) != nil)
    }

    @Test func `what cannot be loaded is not kept`() async throws {
        let jobs = jobs(2)
        let keepings = try await area.outbox().keep(count: 2) { index throws(UploadError) in
            if index == 0 { throw UploadError(.sourceChanged, "grown") }
            return jobs[index]
        }
        guard case .refused(let error) = keepings[0], keepings[1].isKept else {
            Issue.record("\(keepings)")
            return
        }
        #expect(error.code == .sourceChanged)
        #expect(try files == ["\(jobs[1].id).json"])
    }

    @Test func `what cannot be made durable at last stays, is published, and is called unknown`() async throws {
        let jobs = jobs(2)
        var outbox = try await area.outbox()
        outbox.flush = { directory throws(SystemError) in
            throw SystemError(EIO, call: "fsync", path: directory.path)
        }
        let keepings = await outbox.keep(count: 3) { index throws(UploadError) in
            if index == 2 { throw UploadError(.sourceChanged, "grown") }
            return jobs[index]
        }
        let words = keepings.map {
            switch $0 {
            case .kept: "kept"
            case .refused(let error), .unknown(let error): "\(error.code)"
            }
        }
        #expect(words == ["invalidFile", "invalidFile", "sourceChanged"])
        for keeping in keepings.prefix(2) {
            if case .unknown = keeping {} else { Issue.record("\(keeping)") }
        }
        #expect(try files.count == 2)
        outbox.flush = { _ throws(SystemError) in }
        #expect(try await outbox.publish(atMost: 10) { _ throws(UploadError) in }.published.count == 2)
    }

    @Test func `what ends a pass takes nothing away from what it did`() async throws {
        let job = jobs(1)[0]
        var outbox = try await keep([job])
        try scratch.write("{", to: "staging/outbox/0-broken.json")
        outbox.flush = { directory throws(SystemError) in
            throw SystemError(EIO, call: "fsync", path: directory.path)
        }
        let pass = try await outbox.publish(atMost: 10) { _ throws(UploadError) in }
        #expect(pass.failure?.message.contains("fsync") == true)
        #expect(pass.published == [job.id])
        #expect(pass.setAside.map(\.name) == ["0-broken.json.corrupt"])
    }
}

extension Outbox.Keeping {
    var isKept: Bool { if case .kept = self { true } else { false } }
}

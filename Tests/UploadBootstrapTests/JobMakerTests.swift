import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct JobMakerTests {
    private let files: Files

    init() throws { files = try Files() }

    private func plan(_ paths: [String], _ change: (inout EnqueueRequest) -> Void = { _ in }) throws -> EnqueuePlan {
        var request = EnqueueRequest(paths: paths.map { FilePath($0) }, destination: try DestinationArgument("x:"))
        change(&request)
        return try EnqueuePlan(request)
    }

    @Test func `small files ride inside, larger ones are staged`() async throws {
        let limit = SourceReference.inlineBytesMaximum
        let small = try files.write("small", String(repeating: "s", count: limit))
        let large = try files.write("large", String(repeating: "l", count: limit + 1))
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let maker = JobMaker(plan: try plan([small, large]), area: area)
        try await maker.begin()
        let loaded = try maker.load(at: 0).job
        let staged = try maker.load(at: 1).job
        #expect(loaded.source == .inline(Data(repeating: UInt8(ascii: "s"), count: limit)))
        #expect(loaded.size == Int64(limit))
        #expect(loaded.digests.crc64nvme != nil)
        guard case .staged(let id, _) = staged.source else {
            Issue.record("not staged: \(staged.source)")
            return
        }
        #expect(id == area.id)
        #expect(staged.size == Int64(limit + 1))
        #expect(staged.digests.crc64nvme != nil)
    }

    @Test(arguments: [10, 100_000], [true, false])
    func `the SHA-256 is taken on request`(size: Int, stages: Bool) async throws {
        let bytes = Data(repeating: UInt8(ascii: "l"), count: size)
        let path = try files.write("cat.jpg", String(decoding: bytes, as: UTF8.self))
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        for isAsked in [false, true] {
            let plan = try plan([path]) {
                $0.sha256 = isAsked
                $0.stages = stages
            }
            let maker = JobMaker(plan: plan, area: area)
            try await maker.begin()
            let isRead = stages || size == 10 || isAsked
            #expect(try maker.load(at: 0).job.digests == (isRead ? Digests(of: bytes, sha256: isAsked) : Digests()))
        }
    }

    @Test func `when one cannot be staged, nothing stays behind`() async throws {
        let good = try files.write("a", String(repeating: "l", count: 100_000))
        let bad = try files.write("b", String(repeating: "l", count: 100_000))
        let plan = try plan([good, bad])
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let empty = try FileManager.default.subpathsOfDirectory(atPath: area.path).sorted()
        try FileManager.default.removeItem(atPath: bad)
        await #expect(throws: UploadError.self) {
            try await JobMaker(plan: plan, area: area).begin()
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: area.path).sorted() == empty)
    }

    @Test func `in place the job has the full path and the identity, and no digests`() async throws {
        let large = try files.write("large", String(repeating: "l", count: 100_000))
        let plan = try plan([large]) {
            $0.stages = false
            $0.maxAttempts = 3
            $0.priority = .urgent
            $0.ifExists = .skip
            $0.properties.tags = ["k": "v"]
        }
        let maker = JobMaker(plan: plan, area: nil)
        try await maker.begin()
        let job = try maker.load(at: 0).job
        guard case .file(let path, let identity) = job.source else {
            Issue.record("not in place: \(job.source)")
            return
        }
        #expect(path.lastName == "large" && path.isAbsolute)
        #expect(identity.modifiedAt?.digits == 9 && identity.inode != nil)
        #expect(job.digests == Digests())
        #expect(job.retry?.maxAttempts == 3)
        #expect(job.priority == .urgent)
        #expect(job.ifExists == .skip)
        #expect(job.properties == ObjectProperties(tags: ["k": "v"]))
    }

    @Test func `in place a keyed file is read, so that another file under the key is noticed`() async throws {
        let bytes = String(repeating: "l", count: 100_000)
        let plan = try plan([try files.write("large", bytes)]) {
            $0.stages = false
            $0.idempotencyKey = "key"
        }
        let maker = JobMaker(plan: plan, area: nil)
        try await maker.begin()
        #expect(try maker.load(at: 0).job.digests == Digests(of: Data(bytes.utf8)))
    }

    @Test(arguments: [10, 100_000], [true, false])
    func `a key may have the digest of what goes there`(size: Int, stages: Bool) async throws {
        let bytes = Data(repeating: UInt8(ascii: "l"), count: size)
        let path = try files.write("cat.jpg", String(decoding: bytes, as: UTF8.self))
        let plan = try plan([path]) {
            $0.destination = try! DestinationArgument("x:{sha256}.{ext}")
            $0.stages = stages
        }
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let maker = JobMaker(plan: plan, area: area)
        try await maker.begin()
        let job = try maker.load(at: 0).job
        let digest = try #require(Digests(of: bytes, sha256: true).sha256)
        #expect(job.destination == .named(DestinationName(unchecked: "x"), key: "\(digest).jpg"))
    }

    @Test func `a small file that grew meanwhile is refused, not cut`() throws {
        let small = try files.write("small", "s")
        let plan = try plan([small])
        try files.write("small", String(repeating: "s", count: 50_000))
        let error = #expect(throws: UploadError.self) {
            try JobMaker(plan: plan, area: nil).load(at: 0).job
        }
        #expect(error?.code == .sourceChanged)
    }

    @Test func `a job is the same each time it is made, and a serial line follows the order of the command`() throws {
        let paths = try ["b", "a", "c"].map { try files.write($0) }
        let plan = try plan(paths) { $0.serial = SerialPosition(index: 2) }
        let maker = JobMaker(plan: plan, area: nil)
        let jobs = try (0..<3).map { try maker.load(at: $0).job }
        #expect(try (0..<3).map { try maker.load(at: $0).job } == jobs)
        #expect(jobs.map(\.id) == jobs.map(\.id).sorted() && Set(jobs.map(\.id)).count == 3)
        #expect(jobs.map(\.serial?.index) == [2, 3, 4])
        #expect(jobs.map(\.serial?.after) == [nil, jobs[0].id, jobs[1].id])
    }
}

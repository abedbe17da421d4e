import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct JobMakerTests {
    private let files: Files

    init() throws { files = try Files() }

    private func plan(_ paths: [String], _ change: (inout EnqueueRequest) -> Void = { _ in }) throws
        -> (EnqueueRequest, [PlannedUpload])
    {
        var request = EnqueueRequest(paths: paths, destination: try DestinationArgument("x:"))
        change(&request)
        return (request, try EnqueuePlan(request).uploads)
    }

    @Test func `small files ride inside, larger ones are staged`() async throws {
        let limit = SourceReference.inlineBytesMaximum
        let small = try files.write("small", String(repeating: "s", count: limit))
        let large = try files.write("large", String(repeating: "l", count: limit + 1))
        let (request, uploads) = try plan([small, large])
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let maker = JobMaker(request: request, area: area)
        let jobs = try await maker.jobs(for: uploads)
        let loaded = try maker.loaded(jobs[0], uploads[0])
        #expect(loaded.source == .inline(Data(repeating: UInt8(ascii: "s"), count: limit)))
        #expect(loaded.size == Int64(limit))
        #expect(loaded.digests.sha256 != nil)
        guard case .staged(let id, _) = jobs[1].source else {
            Issue.record("not staged: \(jobs[1].source)")
            return
        }
        #expect(id == area.id)
        #expect(jobs[1].size == Int64(limit + 1))
        #expect(jobs[1].digests.crc64nvme != nil)
    }

    @Test func `when one cannot be staged, nothing stays behind`() async throws {
        let good = try files.write("a", String(repeating: "l", count: 100_000))
        let bad = try files.write("b", String(repeating: "l", count: 100_000))
        let (request, uploads) = try plan([good, bad])
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let empty = try FileManager.default.subpathsOfDirectory(atPath: area.path).sorted()
        try FileManager.default.removeItem(atPath: bad)
        await #expect(throws: UploadError.self) {
            try await JobMaker(request: request, area: area).jobs(for: uploads)
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: area.path).sorted() == empty)
    }

    @Test func `in place the job has the full path, the time and the digests`() async throws {
        let large = try files.write("large", String(repeating: "l", count: 100_000))
        let (request, uploads) = try plan([large]) {
            $0.stages = false
            $0.maxAttempts = 3
            $0.priority = .urgent
            $0.ifExists = .skip
            $0.properties.tags = ["k": "v"]
        }
        let job = try await JobMaker(request: request, area: nil).jobs(for: uploads)[0]
        guard case .file(let path, let time) = job.source else {
            Issue.record("not in place: \(job.source)")
            return
        }
        #expect(path.lastName == "large" && path.isAbsolute)
        #expect(time != nil)
        #expect(job.digests == Digests(of: Data(repeating: UInt8(ascii: "l"), count: 100_000)))
        #expect(job.retry?.maxAttempts == 3)
        #expect(job.priority == .urgent)
        #expect(job.ifExists == .skip)
        #expect(job.properties == ObjectProperties(tags: ["k": "v"]))
    }

    @Test(arguments: [10, 100_000], [true, false])
    func `a key may have the digest of what goes there`(size: Int, stages: Bool) async throws {
        let bytes = Data(repeating: UInt8(ascii: "l"), count: size)
        let path = try files.write("cat.jpg", String(decoding: bytes, as: UTF8.self))
        let (request, uploads) = try plan([path]) {
            $0.destination = try! DestinationArgument("x:{sha256}.{ext}")
            $0.stages = stages
        }
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let maker = JobMaker(request: request, area: area)
        let job = try maker.loaded(try await maker.jobs(for: uploads)[0], uploads[0])
        let digest = try #require(Digests(of: bytes).sha256)
        #expect(job.destination == .named(DestinationName(unchecked: "x"), key: "\(digest).jpg"))
    }

    @Test func `a small file that grew meanwhile is refused, not cut`() throws {
        let small = try files.write("small", "s")
        let (request, uploads) = try plan([small])
        let job = UploadJob(source: .inline(Data()), destination: uploads[0].destination, size: 1)
        try files.write("small", String(repeating: "s", count: 50_000))
        let error = #expect(throws: UploadError.self) {
            try JobMaker(request: request, area: nil).loaded(job, uploads[0])
        }
        #expect(error?.code == .sourceChanged)
    }
}

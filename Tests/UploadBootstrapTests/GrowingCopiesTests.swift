import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct GrowingCopiesTests {
    private static let large = Int(GrowingCopy.bytesMinimum) + 1

    private let files: Files
    private let area: StagingArea

    init() async throws {
        files = try Files()
        area = try await StagingArea.open(at: "\(files.path)/staging")
    }

    /// A file of zeros.
    private func makeFile(_ name: String, bytes: Int = Self.large) throws -> String {
        let path = try files.write(name, "")
        #expect(truncate(path, bytes) == 0)
        return path
    }

    private func maker(_ paths: [String], _ change: (inout EnqueueRequest) -> Void = { _ in }) throws -> JobMaker {
        var request = EnqueueRequest(paths: paths.map { FilePath($0) }, destination: try DestinationArgument("x:"))
        change(&request)
        return JobMaker(plan: try EnqueuePlan(request), area: area)
    }

    private var staged: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: area.path).filter { !$0.hasPrefix(".") } }
    }

    @Test func `a large file has its job before its digests, and keeps its copy and its time`() async throws {
        let maker = try maker([makeFile("large"), makeFile("middle", bytes: 100_000)])
        try await maker.begin()
        #expect(try staged.count == 1, "the large one is copied while it is published")
        let copies = GrowingCopies(maker, Interruption(signals: []))
        try await copies.begin(0)
        try await copies.begin(1)
        let early = try maker.load(at: 0).job
        #expect(early.size == Int64(Self.large))
        try await copies.finish(0)
        let late = try maker.load(at: 0).job
        #expect(late.digests.crc64nvme == CRC64NVME(of: Data(count: Self.large)).hexadecimal)
        #expect(late.source == early.source && late.enqueuedAt == early.enqueuedAt && late.id == early.id)
    }

    @Test func `what has to be known before is copied before`() async throws {
        let path = try makeFile("large")
        let changes: [(inout EnqueueRequest) -> Void] = [
            { $0.sha256 = true }, { $0.idempotencyKey = "k" },
            { $0.destination = (try? DestinationArgument("x:{sha256}")) ?? $0.destination },
        ]
        for change in changes {
            let maker = try maker([path], change)
            try await maker.begin()
            #expect(try maker.load(at: 0).job.digests != Digests())
        }
        // For a broker that is away as well: nothing is published until all is there.
        let maker = try maker([path])
        try await maker.begin(isAway: true)
        #expect(try maker.load(at: 0).job.digests != Digests())
    }

    @Test func `a copy that cannot be begun is told before its job is published`() async throws {
        let path = try makeFile("large")
        let maker = try maker([path])
        try FileManager.default.removeItem(atPath: path)
        let error = await #expect(throws: UploadError.self) {
            try await GrowingCopies(maker, Interruption(signals: [])).begin(0)
        }
        #expect(error?.code == .invalidFile)
        #expect(try staged == [])
    }

    @Test func `the copy of a job that was refused ends at once`() async throws {
        let maker = try maker([makeFile("large", bytes: 8 << 30)])
        let copies = GrowingCopies(maker, Interruption(signals: []))
        try await copies.begin(0)
        await copies.cancel([0])
        let error = await #expect(throws: UploadError.self) { try await copies.finish(0) }
        #expect(error?.code == .interrupted)
        await maker.discard([0])
        #expect(try staged == [])
    }

    @Test func `an interruption ends the copies that grow, and those that wait do not begin`() async throws {
        let paths = try (0..<4).map { try makeFile("large\($0)", bytes: 8 << 30) }
        let maker = try maker(paths)
        let interruption = Interruption(signals: [])
        let copies = GrowingCopies(maker, interruption)
        for index in 0..<maker.copiesAtOnce { try await copies.begin(index) }
        async let third: Void = copies.begin(2)
        interruption.received(SIGINT)
        for index in 0..<maker.copiesAtOnce {
            let error = await #expect(throws: UploadError.self) { try await copies.finish(index) }
            #expect(error?.code == .interrupted)
        }
        let waiting: UploadError?
        do {
            try await third
            waiting = nil
        } catch {
            waiting = error as? UploadError
        }
        #expect(waiting?.code == .interrupted)
    }
}

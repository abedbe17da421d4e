import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct CopyGroupsTests {
    private let files: Files
    private let area: StagingArea
    private let paths: [String]

    init() async throws {
        files = try Files()
        area = try await StagingArea.open(at: "\(files.path)/staging")
        paths = try (0..<5).map { [files] in try files.write("file-\($0)", String(repeating: "l", count: 100_000)) }
    }

    /// The copies of five files in groups of two.
    /// - Parameter manifest: names the files instead of the command line.
    private func groups(manifest: String? = nil) throws -> (maker: JobMaker, copies: CopyGroups) {
        var request = EnqueueRequest(
            paths: manifest == nil ? paths.map { FilePath($0) } : [], destination: try DestinationArgument("x:"))
        request.manifest = manifest.map { _ in "manifest" }
        var maker = JobMaker(plan: try EnqueuePlan(request, manifest: manifest), area: area)
        maker.groupCountMaximum = 2
        return (maker, CopyGroups(maker, Interruption(signals: [])))
    }

    private var stagedCount: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: area.path).count { !$0.hasPrefix(".") }
        }
    }

    @Test func `a group is copied when its first job is to be published`() async throws {
        let (maker, groups) = try groups()
        try await groups.begin(isAway: false)
        #expect(try stagedCount == 2)
        try await groups.finish(1)
        #expect(try stagedCount == 2)
        try await groups.finish(2)
        #expect(try stagedCount == 4)
        try await groups.finish(4)
        #expect(try stagedCount == 5)
        for index in paths.indices { #expect(try maker.load(at: index).job.size == 100_000) }
        #expect(groups.failure == nil)
    }

    @Test func `jobs that ask at once share the groups`() async throws {
        let (_, groups) = try groups()
        try await groups.begin(isAway: false)
        try await withThrowingTaskGroup { group in
            for index in paths.indices.reversed() { group.addTask { try await groups.finish(index) } }
            try await group.waitForAll()
        }
        #expect(try stagedCount == 5)
    }

    @Test func `without a broker all are copied first`() async throws {
        try await groups().copies.begin(isAway: true)
        #expect(try stagedCount == 5)
    }

    @Test func `with keys all are copied and registered first`() async throws {
        let lines = paths.enumerated().map { "{\"path\": \"\($1)\", \"idempotencyKey\": \"k\($0)\"}" }
        let (maker, copies) = try groups(manifest: lines.joined(separator: "\n"))
        try await copies.begin(isAway: false)
        for index in paths.indices { #expect(try maker.load(at: index).job.size == 100_000) }
    }

    @Test func `a copy that cannot be made ends the copying, and its own job has its error`() async throws {
        let (_, groups) = try groups()
        try await groups.begin(isAway: false)
        try FileManager.default.removeItem(atPath: paths[3])
        let neighbour = await #expect(throws: UploadError.self) { try await groups.finish(2) }
        #expect(neighbour?.code == .interrupted)
        let own = await #expect(throws: UploadError.self) { try await groups.finish(3) }
        #expect(own?.code == .invalidFile && own?.message.contains("file-3") == true)
        let later = await #expect(throws: UploadError.self) { try await groups.finish(4) }
        #expect(later?.code == .interrupted)
        #expect(groups.failure?.position == 3)
        try await groups.finish(0)
    }
}

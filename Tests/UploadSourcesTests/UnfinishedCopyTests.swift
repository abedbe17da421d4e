import Foundation
import LinuxFiles
import Testing
import UploadTesting
import Uploads

@testable import UploadSources

/// The remains of programs that died while they copied, beside the copies of living programs.
@Suite(.timeLimit(.minutes(10))) struct UnfinishedCopyTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
    }

    private var names: Set<String> { get throws { Set(try scratch.names(in: "staging")) } }

    @Test func `a copy that is being made stays, and is finished`() async throws {
        let draft = try StagedDraft(in: area, name: nil, sha256: false)
        try draft.append([1, 2, 3])
        #expect(try await area.sweepUnfinished().count == 0)
        // The sweep uses another opening of the directory, like another program.
        #expect(try await StagingArea.open(at: area.path).sweepUnfinished().count == 0)
        try draft.append([4])
        let staged = try draft.finish()
        #expect(staged.size == 4)
        #expect(try await area.sweepUnfinished().count == 0)
        #expect(try names == [StagingArea.idName, draft.name])
        // The worker that carries the copy finds it unlocked, although the draft object still exists.
        #expect(try area.directory.open(draft.name, O_RDWR).tryLock())
        withExtendedLifetime(draft) {}
    }

    @Test func `what a dead program left goes with its digests, and nothing else does`() async throws {
        let whole = try await area.stage(DataBuffers(data: Data([1])))
        let before = try names
        let (half, lone) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        for (name, size) in [(".\(half).partial", 1000), ("\(half).blocks", 10), ("\(lone).blocks", 7)] {
            try scratch.write([UInt8](repeating: 1, count: size), to: "staging/\(name)")
        }
        let foreign = [".note.partial", "note.blocks", ".\(half).partial.bak", ".area.\(lone).partial"]
        for name in foreign { try scratch.write([1], to: "staging/\(name)") }
        let swept = try await area.sweepUnfinished()
        #expect(swept.count == 2 && swept.bytes == 1007)
        #expect(try names == before.union(foreign))
        #expect(whole.size == 1)
    }

    @Test func `a sweep that goes on and on costs no copy`() async throws {
        let sweeping = Task { [area] in
            while !Task.isCancelled { _ = try await area.sweepUnfinished() }
        }
        defer { sweeping.cancel() }
        let staged = try await withThrowingTaskGroup(of: StagedFile.self) { group in
            for number in 0..<500 {
                group.addTask { [area] in try await area.stage(DataBuffers(data: Data("\(number)".utf8))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        sweeping.cancel()
        try await sweeping.value
        #expect(staged.count == 500)
        #expect(try names.count == 1 + staged.count)
    }
}

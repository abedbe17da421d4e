import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct MovedOriginalsTests {
    private let files: Files

    init() throws { files = try Files() }

    @Test func `only files whose jobs were accepted are removed, and those that stay are named`() async throws {
        // Small files ride inside, larger ones are staged.
        let names = ["small", "large", "refused", "changed"]
        let paths = try zip(names, [10, 100_000, 10, 10]).map { try files.write($0, String(repeating: "x", count: $1)) }
        var request = EnqueueRequest(paths: paths.map { FilePath($0) }, destination: try DestinationArgument("x:"))
        request.moves = true
        let plan = try EnqueuePlan(request)
        let maker = JobMaker(plan: plan, area: try await StagingArea.open(at: "\(files.path)/staging"))
        try await maker.begin()
        let originals = MovedOriginals(plan: plan)
        for index in paths.indices { originals.note(try maker.load(at: index), at: index) }
        try Data("another".utf8).write(to: URL(filePath: paths[3]))

        for index in [0, 1, 3] { originals.accept(index) }
        originals.finish()
        let problem = await originals.remove()
        #expect(problem?.problems.count == 1 && problem?.description.contains("changed") == true)
        #expect(problem?.exitCode == .badInput)
        for (path, stays) in zip(paths, [false, false, true, true]) {
            #expect(FileManager.default.fileExists(atPath: path) == stays, "\(path)")
        }
    }

    @Test func `what is no staged file cannot be moved`() throws {
        let path = try files.write("a", "a")
        let changes: [(paths: [String], (inout EnqueueRequest) -> Void)] = [
            ([path], { $0.stages = false }), (["-"], { _ in }), (["data:,x"], { _ in }),
            (["https://example.test/a"], { _ in }), (["key"], { $0.from = DestinationName(unchecked: "y") }),
        ]
        for (paths, change) in changes {
            var request = EnqueueRequest(
                paths: paths.map { FilePath($0) },
                destination: try DestinationArgument(["-", "data:,x"].contains(paths[0]) ? "x:y" : "x:"))
            request.moves = true
            change(&request)
            let error = #expect(throws: ProgramError.self, "\(paths)") { try EnqueuePlan(request) }
            #expect(error?.description.contains("--move") == true, "\(error as Any)")
        }
    }
}

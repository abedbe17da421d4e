import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

@Suite("The articles' snippets", .timeLimit(.minutes(10))) struct SnippetTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(arguments: ["GettingStarted", "HearingOfOutcomes", "GoingOn"])
    func `every snippet is one that the compiler reads`(article: String) throws {
        let root = Self.here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Sources/UploadClient/UploadClient.docc/\(article).md"), encoding: .utf8)
        let compiled = Self.lines(
            try String(contentsOf: Self.here.appending(path: "Snippets.swift"), encoding: .utf8))
        let snippets = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(!snippets.isEmpty)
        for snippet in snippets {
            let wanted = Self.lines(snippet)
            let isThere = compiled.indices.contains { compiled[$0...].starts(with: wanted) }
            #expect(isThere, "\(article): \(snippet)")
        }
    }

    @Test func `they do what the articles say, with the manager for tests`() async throws {
        let directory = try TemporaryDirectory()
        let manager = try await RecordingUploadManager(UploadIdentifier("photo-app"), directory: directory.url)
        let file = directory.url.appending(path: "cat.jpg")
        try Data(repeating: 1, count: 50_000).write(to: file)
        let handle = try await Snippets.start(manager, file)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        _ = try await Snippets.startData(manager)
        let saved = try await Snippets.save(manager)
        #expect(try await Snippets.restore(manager, saved).count == 2)
        try await manager.end(handle.id, with: .failed(UploadError(.networkFailure, "away"), state: nil))
        await Snippets.follow(handle)
        await Snippets.judge(handle)
        var failure: UploadFailure?
        do throws(UploadFailure) { _ = try await handle.completion } catch { failure = error }
        let resumed = try await Snippets.resume(manager, try Snippets.encode(try #require(failure)))
        try await manager.end(
            resumed.id, with: .completed(StoredObject(location: "/there", size: 50_000), response: nil))
        try await Snippets.wait(resumed)
        try await Snippets.tell(manager)
        _ = try await Snippets.drain(manager)
    }
}

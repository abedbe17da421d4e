import Foundation
import Testing
// The article's own imports.
import UploadClient
import UploadDestinations
import UploadEmbedded
import UploadTesting
import Uploads

/// The code of the article Embedded.md, unchanged: a snippet that does not compile, or is not in the article, fails.
@Suite("The article on embedded uploads", .timeLimit(.minutes(10))) struct EmbeddedArticleTests {
    // snippet: delegate
    struct Archive: UploadDelegate {
        func uploadDidEnd(_ outcome: UploadOutcome) async throws {
            switch outcome.result {
            case .success(let receipt): try note("\(outcome.job.id) lies at \(receipt.object.location)")
            case .failure(let failure): try note("\(outcome.job.id) failed: \(failure)")
            }
        }
        // snippet end

        let notes: URL

        private func note(_ line: String) throws {
            let old = (try? String(contentsOf: notes, encoding: .utf8)) ?? ""
            try (old + line + "\n").write(to: notes, atomically: true, encoding: .utf8)
        }
    }

    private func destinations(_ folder: URL) throws -> EmbeddedDestinations {
        // snippet: destinations
        let destinations = EmbeddedDestinations([
            try DestinationName("backup"): DirectoryDestination(
                DirectoryConfiguration(path: folder.path)),
            try DestinationName("photos"): try S3Destination(
                S3Configuration(region: "eu-central-1", bucket: "photos"),
                credentials: EnvironmentCredentials(environment: ProcessInfo.processInfo.environment)),
        ])
        // snippet end
        return destinations
    }

    @Test func `the snippets upload a file, follow it, and tell the delegate`() async throws {
        let scratch = try TemporaryDirectory("article")
        let folder = scratch.file("backup")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let directory = scratch.file("state")
        let file = try scratch.write("a film", to: "film.mp4")
        let destinations = try destinations(folder)
        let archive = Archive(notes: scratch.file("notes"))
        // snippet: manager
        let manager = try await EmbeddedUploadManager(
            UploadIdentifier("my-app"), directory: directory, destinations: destinations)
        try await manager.setDelegate(archive)
        // snippet end
        // snippet: upload
        let handle = try await manager.upload(file, to: "backup:films/film.mp4")
        for await update in handle.updates { print("\(Int(update.fractionDone * 100)) %") }
        let receipt = try await handle.completion
        // snippet end
        #expect(receipt.object.size == 6)
        try await eventually("the delegate is told") { scratch.read("notes") != nil }
        // snippet: close
        await manager.close()
        // snippet end
    }

    @Test func `the article shows what is compiled here`() throws {
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let article = try String(
            contentsOf: root.appending(path: "Sources/UploadClient/UploadClient.docc/Embedded.md"), encoding: .utf8)
        var count = 0
        for start in here.indices where here[start].trimmed.hasPrefix("// snippet: ") {
            let lines = here[(start + 1)...].prefix { $0.trimmed != "// snippet end" }
            let indent = here[start].prefix { $0 == " " }.count
            let snippet = lines.map { $0.dropFirst(indent) }.joined(separator: "\n")
            #expect(article.contains(snippet), "not in the article:\n\(snippet)")
            count += 1
        }
        #expect(count == 5)
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

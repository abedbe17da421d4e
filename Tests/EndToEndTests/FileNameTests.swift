import Foundation
import Testing
import UploadTesting
import Uploads

/// Files whose names are not UTF-8 are enqueued by their bytes, and found under the keys that the documentation describes.
@Suite(.timeLimit(.minutes(40))) struct FileNameTests {
    /// Writes a file with these bytes and this name into the directory.
    private func write(_ bytes: Data, _ name: [UInt8], in directory: URL) throws -> FilePath {
        let path = FilePath(directory.path).appending(name)
        let descriptor = (path.bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT | O_EXCL, 0o644) }
        }
        try #require(descriptor >= 0)
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: bytes)
        return path
    }

    @Test func namesThatAreNotUTF8AreUploadedStagedInPlaceAndInsideTheirMessages() async throws {
        let shelf = try TemporaryDirectory()
        try await Deployment.with(configuration: ["sourceRoots: [\(shelf.path)]"]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            // The files are staged or read in place, but for the last, which travels inside its message.
            let odd = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let percent = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })
            let oddPath = try write(odd, Array("50%".utf8) + [0xFF, 0xC3], in: shelf.url)
            _ = try write(percent, Array("100%.bin".utf8), in: shelf.url)
            _ = try write(Data("small".utf8), [0xE9] + Array("t".utf8), in: shelf.url)

            func arrived(_ key: String) -> Data? { try? Data(contentsOf: deployment.uploaded.appending(path: key)) }
            for (folder, options) in [("staged", []), ("placed", ["--no-stage"])] {
                let ids = try await deployment.enqueue(["--wait", "--to", "local:\(folder)/", shelf.path] + options)
                #expect(ids.count == 3)
                #expect(arrived("\(folder)/50%25%FF%C3") == odd, "\(folder)")
                #expect(arrived("\(folder)/100%.bin") == percent, "\(folder)")
                #expect(arrived("\(folder)/%E9t") == Data("small".utf8), "\(folder)")
            }

            // A shell passes an argument with such bytes, because an array of strings cannot hold it.
            let named = try await deployment.run(
                .enqueue, ["--wait", "-o", "ndjson", "--no-stage", "--to", "local:named/", "--"],
                under: ["/bin/sh", "-c", #"exec "$@" "$(printf '\#(shelf.path)/50%%\377\303')""#, "sh"])
            #expect(await named.wait() == 0, "\(named.errorText)")
            #expect(named.outputText.contains(#"50%25%FF%C3""#), "\(named.outputText)")
            #expect(arrived("named/50%25%FF%C3") == odd)
            let wrong = try await deployment.run(
                .enqueue, [shelf.path, "--to"],
                under: ["/bin/sh", "-c", #"exec "$@" "$(printf 'local:\377/')""#, "sh"])
            #expect(await wrong.wait() == 64 && wrong.errorText.contains("not UTF-8"), "\(wrong.errorText)")

            // A manifest with such bytes, on standard input.
            let list = deployment.path.appending(path: "list")
            try Data(oddPath.bytes + [10]).write(to: list)
            _ = try await deployment.enqueue(
                ["--wait", "--to", "local:listed/", "--manifest", "-"], input: list)
            #expect(arrived("listed/50%25%FF%C3") == odd)
        }
    }
}

import Foundation
import Glibc
import Testing

@testable import UploadBootstrap

/// A shell gives a command a pipe for `<(…)`.
@Suite(.timeLimit(.minutes(1))) struct PipedConfigurationTests {
    /// Reads from a pipe into which a text is written.
    private func reading<Value>(_ text: String, _ body: (_ path: String) throws -> Value) throws -> Value {
        let files = try Files()
        let path = "\(files.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // Both ends block their threads: the pool of tasks may have no other one for the writer.
        Thread.detachNewThread { try? FileHandle(forWritingAtPath: path)?.write(contentsOf: Data(text.utf8)) }
        return try body(path)
    }

    @Test func `a configuration comes through a pipe`() throws {
        let comments = String(repeating: "# a long file\n", count: 1000)
        let file = try reading(comments + "namespace: piped\n") {
            try ConfigurationFile(path: $0, directory: "/")
        }
        #expect(file.problems == [] && file.settings["namespace"] != nil)
    }

    @Test func `a secret comes through a pipe`() throws {
        let secret = try reading("a secret\n") { try Secret("file:\($0)").resolve([:], key: "token") }
        #expect(secret == "a secret")
    }
}

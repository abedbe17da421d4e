import Foundation
import Testing
import UploadTesting

/// Runs a Python program: an independent implementation of the published schemas.
enum Python {
    /// - Returns: the program's output.
    static func run(_ script: String, arguments: [String] = [], input: Data = Data()) async throws -> String {
        // Not a pipe: a program that prints much before it has read everything would wait for this side, which still
        // writes.
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (output, errors) = try await Spawn.onThread {
            try Spawn.run("/usr/bin/env", ["python3", "-c", script] + arguments, input: file.path)
        }
        #expect(output.status == 0, "\(errors)")
        return output.text
    }

    static var schemas: String { sources("UploadsRabbitMQ/Schemas").path }

    /// The first Python example on a page of the documentation.
    static func example(of page: String) throws -> String {
        let text = try String(contentsOf: sources("Uploads/Uploads.docc/\(page).md"), encoding: .utf8)
        return String(
            try #require(text.split(separator: "```python\n").dropFirst().first?.split(separator: "```").first))
    }

    private static func sources(_ path: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/\(path)")
            .standardizedFileURL
    }
}

import Foundation
import Testing

/// Runs a Python program: an implementation of the published schemas that is not ours.
enum Python {
    /// - Returns: what it printed.
    static func run(_ script: String, arguments: [String] = [], input: Data = Data()) async throws -> String {
        try await Task.detached {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", script] + arguments
            let output = Pipe()
            let errors = Pipe()
            // Not a pipe: a program that prints much before it has read all would wait for its reader, who still writes.
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try input.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = try FileHandle(forReadingFrom: file)
            try process.run()
            let printed = try output.fileHandleForReading.readToEnd() ?? Data()
            let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(String(decoding: complaint, as: UTF8.self))")
            return String(decoding: printed, as: UTF8.self)
        }.value
    }

    static var schemas: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/UploadsRabbitMQ/Schemas").standardizedFileURL.path
    }
}

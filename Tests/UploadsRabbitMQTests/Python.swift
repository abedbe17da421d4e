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
            let stdin = Pipe()
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = stdin
            try process.run()
            try stdin.fileHandleForWriting.write(contentsOf: input)
            try stdin.fileHandleForWriting.close()
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

import Foundation
import Testing

/// Short programs that are not ours, run to their end.
enum Shell {
    /// Standard output; a status other than 0 fails the test with standard error.
    static func run(_ command: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        let errors = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let complaint = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
        try #require(process.terminationStatus == 0, "\(command.first ?? ""): \(complaint)")
        return String(decoding: data, as: UTF8.self)
    }
}

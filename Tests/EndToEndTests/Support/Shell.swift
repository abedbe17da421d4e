import Testing
import UploadTesting

/// Short programs that are not ours, run to their end.
enum Shell {
    /// Runs one that takes a while, on a thread of its own.
    /// - Returns: see `run`.
    static func wait(_ command: String...) async throws -> String {
        let (output, errors) = try await Spawn.onThread { try Spawn.run("/usr/bin/env", command) }
        return try text(output, errors, of: command)
    }

    /// Standard output; a status other than 0 fails the test with standard error.
    static func run(_ command: String...) throws -> String {
        let (output, errors) = try Spawn.run("/usr/bin/env", command)
        return try text(output, errors, of: command)
    }

    private static func text(_ output: Spawn.Output, _ errors: String, of command: [String]) throws -> String {
        try #require(output.status == 0, "\(command.first ?? ""): \(errors)")
        return output.text
    }
}

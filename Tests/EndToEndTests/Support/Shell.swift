import Testing
import UploadTesting

/// Runs short programs of the system to their end.
enum Shell {
    /// Runs a program that takes a while, on a thread of its own.
    /// - Returns: see `run`.
    static func wait(_ command: String...) async throws -> String {
        let (output, errors) = try await Spawn.onThread { try Spawn.run("/usr/bin/env", command) }
        return try text(output, errors, of: command)
    }

    /// Runs a program and returns its standard output; with a status other than 0 the test fails and shows standard error.
    static func run(_ command: String...) throws -> String {
        let (output, errors) = try Spawn.run("/usr/bin/env", command)
        return try text(output, errors, of: command)
    }

    private static func text(_ output: Spawn.Output, _ errors: String, of command: [String]) throws -> String {
        try #require(output.status == 0, "\(command.first ?? ""): \(errors)")
        return output.text
    }
}

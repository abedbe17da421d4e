import Testing
import UploadTesting

/// Runs programs of the system to their end.
enum Shell {
    /// Runs a program and returns its standard output; with a status other than 0 the test fails and shows standard error.
    static func run(_ command: String...) async throws -> String { try await run(command) }

    static func run(_ command: [String]) async throws -> String {
        let (output, errors) = try await Spawn.onThread { try Spawn.run("/usr/bin/env", command) }
        try #require(output.status == 0, "\(command.first ?? ""): \(errors)")
        return output.text
    }
}

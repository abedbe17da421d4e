import Testing
import UploadTesting

/// Short programs that are not ours, run to their end.
enum Shell {
    /// Standard output; a status other than 0 fails the test with standard error.
    static func run(_ command: String...) throws -> String {
        let (output, errors) = try Spawn.run("/usr/bin/env", command)
        try #require(output.status == 0, "\(command.first ?? ""): \(errors)")
        return output.text
    }
}

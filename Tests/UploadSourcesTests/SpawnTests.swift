import Foundation
import Testing

@testable import UploadTesting

@Suite struct SpawnTests {
    /// With about a hundred descriptors open, the output to one of a program's descriptors once went to the file of another.
    @Test func `what a program writes arrives whatever numbers its descriptors have here`() throws {
        let directory = try TemporaryDirectory()
        let paths = (0..<3).map { directory.url.appending(path: "\($0)").path }
        for first in [3, 4, 5, 100, 101, 102, 103] as [CInt] {
            let files = paths.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
            // The first descriptor is the highest, so that duplicating each one overwrites the numbers of others.
            let numbers = files.reversed().map { fcntl($0, F_DUPFD_CLOEXEC, first) }
            defer { for descriptor in files + numbers { close(descriptor) } }
            let pid = try Spawn.run(
                "/bin/sh", ["-c", "echo 0 >&3; echo 1 >&4; echo 2 >&5"], environment: [:],
                descriptors: [3: numbers[2], 4: numbers[1], 5: numbers[0]])
            var status: CInt = -1
            waitpid(pid, &status, 0)
            #expect(status == 0)
            let written = paths.map { try? String(contentsOfFile: $0, encoding: .utf8) }
            #expect(written == ["0\n", "1\n", "2\n"], "\(numbers)")
        }
    }
}

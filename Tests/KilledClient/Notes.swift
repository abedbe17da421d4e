import Foundation
import Glibc
import UploadClient

/// Lines that are on the disk when `append` returns, and outlive the program.
struct Notes: UploadDelegate {
    let path: String

    init(at url: URL) throws {
        path = url.path
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
    }

    func uploadDidEnd(_ outcome: UploadOutcome) async throws {
        try append("told \(outcome.id) \(outcome.isCompleted ? "completed" : "failed")")
    }

    func append(_ line: String) throws {
        let file = open(path, O_WRONLY | O_APPEND)
        defer { close(file) }
        let bytes = Array("\(line)\n".utf8)
        guard file >= 0, write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// The names with a key that were wanted and, as far as the notes say, not accepted.
    func unaccepted() throws -> [String] {
        var names: [String] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "wanted", words[1].hasSuffix("keyed"), !names.contains(words[1]) { names.append(words[1]) }
            if words[0] == "accepted" { names.removeAll { $0 == words[2] } }
        }
        return names
    }
}

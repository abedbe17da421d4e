import Foundation
import UploadBootstrap

/// A directory of one test, gone with it.
final class Files {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path(percentEncoded: false) + "longshore-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, with the directories above it.
    @discardableResult
    func write(_ name: String, _ text: String = "bytes") throws -> String {
        let full = "\(path)/\(name)"
        let folder = URL(filePath: full).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: full))
        return full
    }

    /// A configuration of this file's text and nothing else around it.
    func input(_ yaml: String, environment: [String: String] = [:]) throws -> ConfigurationInput {
        try write("upload.yaml", yaml)
        return ConfigurationInput(environment: environment, directory: path)
    }
}

import Foundation
import Glibc
import UploadBootstrap
import Uploads

/// A directory for one test, removed at its end.
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

    /// Gives a file a name that need not be UTF-8.
    func rename(_ name: String, to path: FilePath) throws {
        let isDone = (path.bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { Glibc.rename("\(self.path)/\(name)", $0.baseAddress!) }
        }
        guard isDone == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The input of a configuration with this text as its file, and no variables but the given ones.
    func input(_ yaml: String, environment: [String: String] = [:]) throws -> ConfigurationInput {
        try write("upload.yaml", yaml)
        return ConfigurationInput(environment: environment, directory: path)
    }
}

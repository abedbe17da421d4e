public import Foundation

/// A directory of a test's own, removed when the last reference goes.
public final class ScratchDirectory: Sendable {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "longshore-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func path(_ name: String) -> String { path + "/" + name }

    public func url(_ name: String) -> URL { URL(filePath: path(name)) }

    /// Makes a file.
    /// - Returns: its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: url(name))
        return path(name)
    }

    /// - Returns: nil when there is no such file.
    public func read(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: url(name))).map(Array.init)
    }

    /// Names in the directory, hidden ones included, sorted.
    public func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
    }
}

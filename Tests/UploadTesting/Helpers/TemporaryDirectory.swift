public import Foundation

/// A fresh directory, removed with everything in it when the value is gone.
public final class TemporaryDirectory: Sendable {
    public let url: URL
    public var path: String { url.path }

    public init(_ prefix: String = "longshore") throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UniqueNames.make(prefix))
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        let url = file(name)
        try Data(text.utf8).write(to: url)
        return url
    }

    public func path(_ name: String) -> String { path + "/" + name }

    public func url(_ name: String) -> URL { URL(filePath: path(name)) }

    /// Creates a file.
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

    /// The names in the directory, sorted, with hidden ones.
    public func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
    }
}

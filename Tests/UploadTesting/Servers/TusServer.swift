import Foundation

/// A private tus server: tuspyserver under uvicorn, one process. It offers no checksums and no downloads, so tests read its files.
public final class TusServer: Sendable {
    /// An upload in the server's directory.
    public struct Upload: Sendable {
        public let id: String
        public let metadata: [String: String]
        public let size: Int
        /// The number of bytes that the server claims to hold.
        public let offset: Int
        let createdAt: String

        public var isComplete: Bool { offset == size }
    }

    private let process: ServerProcess

    /// The server that the tests of one process share, started on first use. Each test uses keys of its own, and leaves the server running.
    public static func shared() async throws -> TusServer { try await SharedTus.instance.server() }

    /// Starts a server for one test. It ends with the value.
    /// - Parameters:
    ///   - token: the Bearer token that requests must have; nil accepts all requests.
    ///   - sizeMaximum: the most bytes of an upload.
    public static func start(token: String? = nil, sizeMaximum: Int = 1 << 40) async throws -> TusServer {
        let python = try await TestProgram.python(with: "tuspyserver", "uvicorn")
        return try await ServerProcess.start {
            try await TusServer(python: python, token: token, sizeMaximum: sizeMaximum)
        }
    }

    private init(python: String, token: String?, sizeMaximum: Int) async throws {
        let directory = try TemporaryDirectory("tus")
        try FileManager.default.createDirectory(at: directory.file("files"), withIntermediateDirectories: false)
        let port = try Ports.free()
        var settings: [String: Any] = [
            "files": directory.path("files"), "port": port, "size_maximum": sizeMaximum,
        ]
        settings["token"] = token
        try JSONSerialization.data(withJSONObject: settings).write(to: directory.file("settings.json"))
        process = try await ServerProcess(
            "tuspyserver", port: port, directory: directory, python,
            [TestProgram.script("tus-server.py"), directory.path("settings.json")])
    }

    public var port: Int { process.port }
    /// The URL for creating uploads.
    public var url: String { url(port: port) }

    /// The same URL through a proxy's port.
    public func url(port: Int) -> String { "http://127.0.0.1:\(port)/files/" }

    /// Every upload in its directory, finished or not, in the order of their creation.
    public func uploads() throws -> [Upload] {
        let names = try Set(process.directory.names(in: "files"))
        return try names.filter { $0.hasSuffix(".info") }.compactMap { name in
            // An upload that is removed while a request for it ends leaves such a file behind, but is gone all the same.
            guard names.contains(String(name.dropLast(".info".count))) else { return nil }
            // An upload that is removed in between does not count.
            guard let bytes = process.directory.read("files/\(name)"),
                let info = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
                let size = info["size"] as? Int, let offset = info["offset"] as? Int
            else { return nil }
            return Upload(
                id: String(name.dropLast(".info".count)), metadata: info["metadata"] as? [String: String] ?? [:],
                size: size, offset: offset, createdAt: info["created_at"] as? String ?? "")
        }.sorted { $0.createdAt < $1.createdAt }
    }

    /// The bytes of the newest finished upload of a path; nil if there is none.
    public func stored(_ path: String) throws -> [UInt8]? {
        try uploads().last { $0.isComplete && $0.metadata["relativePath"] == path }.flatMap { bytes(of: $0.id) }
    }

    /// The path of an upload's bytes.
    public func path(of id: String) -> String { process.directory.path("files/\(id)") }

    public func bytes(of id: String) -> [UInt8]? { process.directory.read("files/\(id)") }

    /// Makes an upload expired.
    public func expire(_ id: String) throws {
        let file = process.directory.file("files/\(id).info")
        var info = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
        info["expires"] = "Mon, 02 Jan 2006 15:04:05 GMT"
        try JSONSerialization.data(withJSONObject: info).write(to: file, options: .atomic)
    }

    /// Removes an upload, as an operator would.
    public func remove(_ id: String) throws {
        for name in [id, "\(id).info"] {
            try FileManager.default.removeItem(at: process.directory.file("files/\(name)"))
        }
    }

    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }

    /// Kills the server, if it still runs, and starts it again on the same port and uploads.
    public func restart() async throws { try await process.restart() }
}

private actor SharedTus {
    static let instance = SharedTus()
    private var starting: Task<TusServer, any Error>?

    func server() async throws -> TusServer {
        if let starting { return try await starting.value }
        let task = Task { try await TusServer.start() }
        starting = task
        return try await task.value
    }
}

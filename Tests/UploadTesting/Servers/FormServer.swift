import Foundation

/// A Flask server, which parses forms with werkzeug (RFC 7578). It keeps each upload with its fields.
public final class FormServer: Sendable {
    /// An upload as it was parsed.
    public struct Upload: Sendable {
        /// The name of the file's field; empty for a body that is the file itself.
        public let field: String
        public let filename: String
        public let contentType: String
        public let fields: [String: [String]]
        /// The header fields, with names in lower case.
        public let headers: [String: String]
        public let path: String
        public let bytes: [UInt8]
    }

    private let process: ServerProcess

    /// Starts a server for one test. It ends with the value.
    /// - Parameter authorization: the Authorization that requests must have; nil accepts all requests.
    public static func start(authorization: String? = nil) async throws -> FormServer {
        let python = try await TestProgram.python(with: "flask", "werkzeug")
        return try await ServerProcess.start { try await FormServer(python, authorization) }
    }

    private init(_ python: String, _ authorization: String?) async throws {
        let directory = try TemporaryDirectory("form")
        try FileManager.default.createDirectory(at: directory.file("uploads"), withIntermediateDirectories: false)
        let port = try Ports.free()
        var settings: [String: Any] = ["port": port, "directory": directory.path("uploads")]
        settings["authorization"] = authorization
        try JSONSerialization.data(withJSONObject: settings).write(to: directory.file("settings.json"))
        process = try await ServerProcess(
            "the form server", port: port, directory: directory, python,
            [TestProgram.script("form-server.py"), directory.path("settings.json")])
    }

    public var port: Int { process.port }

    /// Every upload, in the order of their arrival.
    public func uploads() throws -> [Upload] {
        try process.directory.names(in: "uploads").filter { $0.hasSuffix(".json") }.map { name in
            let data = Data(process.directory.read("uploads/\(name)") ?? [])
            let info = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            return Upload(
                field: info["field"] as? String ?? "", filename: info["filename"] as? String ?? "",
                contentType: info["contentType"] as? String ?? "", fields: info["fields"] as? [String: [String]] ?? [:],
                headers: info["headers"] as? [String: String] ?? [:], path: info["path"] as? String ?? "",
                bytes: process.directory.read("uploads/\(name.dropLast(".json".count)).bytes") ?? [])
        }
    }

    public func log() -> String { process.log() }
}

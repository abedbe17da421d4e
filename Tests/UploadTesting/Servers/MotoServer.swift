/// A private moto server. It checks no signatures, so a pass proves little.
public final class MotoServer: Sendable {
    private let process: ServerProcess

    /// Starts a server. It ends with the value.
    public static func start() async throws -> MotoServer {
        let moto = try TestProgram.path("moto_server")
        return try await ServerProcess.start { try await MotoServer(moto) }
    }

    private init(_ moto: String) async throws {
        let directory = try TemporaryDirectory("moto")
        let port = try Ports.free()
        process = try await ServerProcess(
            "moto_server", port: port, directory: directory, moto, ["-H", "127.0.0.1", "-p", "\(port)"])
    }

    public var port: Int { process.port }
    public var url: String { "http://127.0.0.1:\(port)" }
    public var endpoint: S3Endpoint {
        S3Endpoint(url: url, region: "us-east-1", accessKey: "AKIDTEST", secretKey: "secrettest")
    }

    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }
}

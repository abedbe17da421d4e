import Foundation

/// A private `rclone serve s3`: a bucket is a directory, an object a plain file. It checks signatures, but little else.
public final class RcloneS3Server: Sendable {
    public let region = "us-east-1"
    public let accessKey = "AKIDTEST"
    public let secretKey = "secrettest"
    private let process: ServerProcess

    /// Starts a server. It ends with the value.
    /// - Parameters:
    ///   - buckets: the buckets that exist at its start. More can be made only over S3: the server does not see new directories.
    ///   - streamsParts: writes parts to the file as they arrive, and refuses to replace a part by other bytes. With false the server
    ///     keeps the parts of an upload in memory until Complete, so that a part may be sent anew and a refused Complete be
    ///     corrected.
    public static func start(buckets: [String] = [], streamsParts: Bool = true) async throws -> RcloneS3Server {
        let rclone = try TestProgram.path("rclone")
        return try await ServerProcess.start { try await RcloneS3Server(rclone, buckets, streamsParts: streamsParts) }
    }

    private init(_ rclone: String, _ buckets: [String], streamsParts: Bool) async throws {
        let directory = try TemporaryDirectory("rclone")
        for name in ["buckets", "cache"] + buckets.map({ "buckets/\($0)" }) {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
        }
        try directory.write("", to: "rclone.conf")
        let port = try Ports.free()
        var arguments = [
            "serve", "s3", "--addr", "127.0.0.1:\(port)", "--auth-key", "\(accessKey),\(secretKey)",
            "--cache-dir", directory.path("cache"), "--config", directory.path("rclone.conf"),
        ]
        // The option for the cache switches to streaming too.
        arguments +=
            streamsParts
            ? ["--vfs-cache-mode", "writes", "--vfs-write-back", "0s"] : ["--disable-multipart-streaming"]
        process = try await ServerProcess(
            "rclone serve s3", port: port, directory: directory, rclone, arguments + [directory.path("buckets")])
    }

    public var port: Int { process.port }
    public var url: String { "http://127.0.0.1:\(port)" }
    public var endpoint: S3Endpoint {
        S3Endpoint(url: url, region: region, accessKey: accessKey, secretKey: secretKey)
    }

    /// The bytes of an object's file; nil if there is none. The file may appear a moment after the answer.
    public func stored(_ bucket: String, _ key: String) -> [UInt8]? {
        process.directory.read("buckets/\(bucket)/\(key)")
    }

    /// The path of an object's file.
    public func path(_ bucket: String, _ key: String) -> String { process.directory.path("buckets/\(bucket)/\(key)") }

    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }

    public func kill() async throws { try await process.kill() }

    /// Restarts the server. Objects survive, but open uploads and metadata do not.
    public func restart() async throws { try await process.restart() }
}

import Foundation

/// A private `rclone serve s3`: a bucket is a directory, an object a plain file. It checks signatures, and little else.
public final class RcloneS3Server: Sendable {
    public let region = "us-east-1"
    public let accessKey = "AKIDTEST"
    public let secretKey = "secrettest"
    private let process: ServerProcess

    /// Starts a server. It ends with the value.
    /// - Parameters:
    ///   - buckets: made before it starts. Others can be made over S3 alone: it does not see new directories.
    ///   - streamsParts: writes parts to the file as they come, and refuses to replace one by other bytes. With false it
    ///     keeps the parts of an upload in memory until Complete: a part may be sent anew, and a Complete that was
    ///     refused be corrected.
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
        // The cache is a way of streaming too.
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

    /// What lies in the file of an object; nil when there is none. The file may appear a moment after the answer.
    public func stored(_ bucket: String, _ key: String) -> [UInt8]? {
        process.directory.read("buckets/\(bucket)/\(key)")
    }

    /// Where the file of an object is.
    public func path(_ bucket: String, _ key: String) -> String { process.directory.path("buckets/\(bucket)/\(key)") }

    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }

    public func kill() async throws { try await process.kill() }

    /// Objects survive it; open uploads and metadata do not.
    public func restart() async throws { try await process.restart() }
}

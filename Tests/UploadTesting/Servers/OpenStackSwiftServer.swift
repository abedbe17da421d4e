import Foundation
import Synchronization

/// A private OpenStack Swift with its S3 API, all in one process: strict about signatures, regions, checksums, part sizes and conditions.
/// Its objects survive a restart.
public final class OpenStackSwiftServer: Sendable {
    public let region = "us-east-1"
    public let accessKey = "test:tester"
    public let secretKey = "testing"
    /// Another user with all rights in the same account.
    public let secondAccessKey = "test:second"
    public let secondSecretKey = "secret2"
    /// The domain of hosts such as `bucket.s3.test`, for virtual-host addressing. It does not resolve, so clients must use a proxy.
    public let storageDomain = "s3.test"
    private let process: ServerProcess

    /// The server that the tests of one process share, started on first use. Each test uses buckets of its own, and leaves the server
    /// running.
    public static func shared() async throws -> OpenStackSwiftServer { try await SharedSwift.instance.server() }

    /// Starts a server for one test. It ends with the value.
    /// - Parameters:
    ///   - partsMaximum: the highest part number of an upload.
    ///   - partBytesMinimum: the least size of all parts but the last.
    ///   - listedPartsMaximum: the most parts in one page of ListParts.
    ///   - keyBytesMaximum: the longest key. S3 says 1024; this server adds an upload's id and a part's number to the key, so that
    ///     multipart uploads to long keys need some 60 bytes more.
    ///   - clientSecondsMaximum: the longest wait for more of a request's body.
    public static func start(
        partsMaximum: Int = 10_000, partBytesMinimum: Int = 5_242_880, listedPartsMaximum: Int = 1000,
        keyBytesMaximum: Int = 1024, clientSecondsMaximum: Int = 60
    ) async throws -> OpenStackSwiftServer {
        let python = try await TestProgram.python(with: "swift", "eventlet", "xattr")
        return try await ServerProcess.start {
            try await OpenStackSwiftServer(
                python: python,
                limits: [
                    "max_upload_part_num": partsMaximum, "min_segment_size": partBytesMinimum,
                    "max_parts_listing": listedPartsMaximum, "key_bytes_maximum": keyBytesMaximum,
                    "client_timeout": clientSecondsMaximum,
                ])
        }
    }

    private init(python: String, limits: [String: Int]) async throws {
        let directory = try TemporaryDirectory("openstack-swift")
        let port = try Ports.free()
        var settings: [String: Any] = limits
        settings["home"] = directory.path
        settings["port"] = port
        settings["region"] = region
        settings["storage_domain"] = storageDomain
        settings["users"] = [accessKey: secretKey, secondAccessKey: secondSecretKey]
        try JSONSerialization.data(withJSONObject: settings).write(to: directory.file("settings.json"))
        process = try await ServerProcess(
            "OpenStack Swift", port: port, directory: directory, python,
            [TestProgram.script("openstack-swift.py"), directory.path("settings.json")],
            readyFile: "proxy.ready")
    }

    public var port: Int { process.port }
    public var url: String { "http://127.0.0.1:\(port)" }
    public var endpoint: S3Endpoint {
        S3Endpoint(url: url, region: region, accessKey: accessKey, secretKey: secretKey)
    }
    public var secondEndpoint: S3Endpoint {
        S3Endpoint(url: url, region: region, accessKey: secondAccessKey, secretKey: secondSecretKey)
    }

    /// The server's log, for failing tests.
    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }

    /// Kills the server, as a power cut would; its data stay.
    public func kill() async throws { try await process.kill() }

    /// Kills the server, if it still runs, and starts it again on the same port and data.
    public func restart() async throws { try await process.restart() }
}

private actor SharedSwift {
    static let instance = SharedSwift()
    private var starting: Task<OpenStackSwiftServer, any Error>?

    func server() async throws -> OpenStackSwiftServer {
        if let starting { return try await starting.value }
        let task = Task { try await OpenStackSwiftServer.start() }
        starting = task
        return try await task.value
    }
}

import AsyncHTTPClient
import Foundation
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A proxy before a server, and the driver for it.
struct HTTPBench: Sendable {
    static let partBytes = 1 << 20

    let proxy: HTTPFaultProxy
    let client: HTTPClient

    /// - Parameter port: the server's port.
    static func with(_ port: Int, _ body: (HTTPBench) async throws -> Void) async throws {
        let proxy = try HTTPFaultProxy(to: port)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(HTTPBench(proxy: proxy, client: client))
        } catch {
            proxy.stop()
            try await client.shutdown()
            throw error
        }
        proxy.stop()
        try await client.shutdown()
    }

    /// The URL of a path, through the proxy.
    func url(_ path: String = "") -> String { "\(proxy.url)/\(path)" }

    /// The configuration for a POST of a form to one URL.
    func form(
        _ fields: [String: String] = [:], secretFields: [String: String] = [:], filename: String = "{name}"
    ) throws -> HTTPConfiguration {
        var configuration = HTTPConfiguration(url: url("up"))
        configuration.method = .post
        configuration.appendsKey = false
        var templates = ["key": try JobTemplate("{key}")]
        for (name, text) in fields { templates[name] = try JobTemplate(text) }
        configuration.form = try HTTPForm(
            file: "upload", filename: JobTemplate(filename), fields: templates, secretFields: secretFields)
        return configuration
    }

    /// The configuration for ranges of 1 MiB.
    var ranges: HTTPConfiguration {
        var configuration = HTTPConfiguration(url: url())
        configuration.ranges = true
        configuration.partBytes = Int64(Self.partBytes)
        return configuration
    }

    func destination(_ configuration: HTTPConfiguration) -> HTTPDestination {
        HTTPDestination(configuration, client: client)
    }

    /// - Parameter stored: the stored bytes of a key, whose slashes are not folders.
    func conformance(
        _ configuration: HTTPConfiguration, _ stored: @escaping @Sendable (String) throws -> [UInt8]?
    ) -> DestinationConformance {
        DestinationConformance(
            destination: { destination(configuration) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "web"), key: $0.replacing("/", with: "_")) },
            stored: { try stored($0.replacing("/", with: "_")) }, partBytes: Self.partBytes)
    }

    func job(_ bytes: [UInt8] = [1, 2, 3], key: String = "file.txt", metadata: [String: String] = [:]) -> UploadJob {
        UploadJob(
            source: .inline(Data(bytes)), destination: .named(DestinationName(unchecked: "web"), key: key),
            contentType: "text/plain", size: Int64(bytes.count),
            digests: Digests(crc64nvme: CRC64NVME(of: bytes).hexadecimal), metadata: metadata)
    }

    /// Runs one upload from open to close.
    @discardableResult
    func carry(_ job: UploadJob, _ configuration: HTTPConfiguration, round: Int = 1) async throws -> CompletedUpload {
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
            throw DidNotHappen.unclaimed
        }
        let session = try await destination(configuration).open(job, round: round, resuming: nil)
        for part in session.missing { try await session.upload(part, from: source) { _ in } }
        return try await session.complete(.none)
    }

    func failure(_ job: UploadJob, _ configuration: HTTPConfiguration) async throws -> UploadError {
        do {
            try await carry(job, configuration)
        } catch let error as UploadError {
            return error
        }
        throw DidNotHappen("the upload was to fail")
    }
}

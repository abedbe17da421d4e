import AsyncHTTPClient
import Foundation
import HTTPCalls
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// A bucket of a real server, the driver for it, and an independent client that reads the bucket.
struct S3Bench: Sendable {
    static let partBytes = 8 << 20

    let endpoint: S3Endpoint
    let bucket: String
    let observer: S3Observer
    let client: HTTPClient

    /// Runs the body with a fresh bucket.
    static func with(_ endpoint: S3Endpoint, _ body: (S3Bench) async throws -> Void) async throws {
        let observer = try await S3Observer(endpoint)
        let bucket = UniqueNames.make("bucket")
        try await observer.createBucket(bucket)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(S3Bench(endpoint: endpoint, bucket: bucket, observer: observer, client: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// The configuration of the bucket, with multipart uploads above 8 MiB.
    var configuration: S3Configuration { configuration(by: endpoint) }

    /// The same configuration for another endpoint, such as a proxy.
    func configuration(by endpoint: S3Endpoint) -> S3Configuration {
        var configuration = S3Configuration(endpoint: endpoint.url, region: endpoint.region, bucket: bucket)
        configuration.multipartThresholdBytes = Int64(Self.partBytes)
        return configuration
    }

    /// A driver as another worker would have it.
    func destination(
        _ configuration: S3Configuration? = nil, credentials: (any AWSCredentialsProvider)? = nil,
        client: HTTPClient? = nil
    ) throws -> S3Destination {
        try S3Destination(
            configuration ?? self.configuration, credentials: credentials ?? StaticCredentials(endpoint),
            client: client ?? self.client, connections: client == nil ? .shared : nil)
    }

    func conformance(_ configuration: S3Configuration? = nil) -> DestinationConformance {
        var conformance = DestinationConformance(
            destination: { try destination(configuration) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "bucket"), key: $0) },
            stored: { try await observer.get(bucket, $0) }, partBytes: Self.partBytes)
        conformance.looksForSessions = false
        return conformance
    }

    /// A job of inline bytes for a key.
    func job(_ bytes: [UInt8], key: String, enqueuedAt: Date = Date()) throws -> UploadJob {
        try conformance().job(bytes, key: key, enqueuedAt: enqueuedAt)
    }
}

extension StaticCredentials {
    init(_ endpoint: S3Endpoint) {
        self.init(AWSCredentials(accessKeyID: endpoint.accessKey, secretAccessKey: endpoint.secretKey))
    }
}

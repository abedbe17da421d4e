import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Indirect routes to a server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3RouteTests {
    private func with(
        _ configure: (inout HTTPClient.Configuration) -> Void, _ body: (HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPConfiguration.clientConfiguration
        configure(&configuration)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body(client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test func `the bucket in the host`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            var configuration = bench.configuration
            configuration.endpoint = "http://\(server.storageDomain):\(server.port)"
            configuration.addressing = .virtual
            try await with({ $0.dnsOverride = ["\(bench.bucket).\(server.storageDomain)": "127.0.0.1"] }) { client in
                let destination = try bench.destination(configuration, client: client)
                let bytes = DestinationConformance.bytes(S3Bench.partBytes * 2)
                let job = try bench.job(bytes, key: "a b/c+d")
                let session = try await destination.open(job, resuming: nil)
                try await bench.conformance().send(of: job, to: session)
                let completed = try await session.complete(.none)
                #expect(completed.object.location.hasPrefix("http://\(bench.bucket).s3.test:"))
                #expect(try await bench.observer.get(bench.bucket, "a b/c+d") == bytes)
            }
        }
    }

    @Test func `through an HTTP proxy`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: nil)
            try await with({ $0.proxy = .server(host: "127.0.0.1", port: proxy.port) }) { client in
                let destination = try bench.destination(client: client)
                let job = try bench.job([1, 2, 3], key: "by proxy")
                let session = try await destination.open(job, resuming: nil)
                try await bench.conformance().send(of: job, to: session)
                #expect(try await bench.observer.get(bench.bucket, "by proxy") == [1, 2, 3])
                #expect(proxy.requests.map(\.method) == ["CONNECT", "PUT"])
            }
            proxy.stop()
        }
    }

    @Test func `over TLS by an authority of one's own`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        let front = try await NginxServer(isSecure: true, forwardingTo: server.port)
        try await S3Bench.with(server.endpoint) { bench in
            var configuration = bench.configuration
            configuration.endpoint = front.url
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes + 1), key: "secure")
            let refused = await #expect(throws: UploadError.self) {
                try await bench.destination(configuration).open(job, resuming: nil)
            }
            #expect(refused?.code == .misconfigured)
            configuration.tls.authorities = front.certificatePath
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            try await bench.conformance().send(of: job, to: session)
            _ = try await session.complete(.none)
            #expect(try await bench.observer.head(bench.bucket, "secure")?.size == Int(job.size))
        }
    }

    @Test func `by a pre-signed URL, which needs no destination at all`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let signer = SigV4Signer(region: server.region)
            let keys = AWSCredentials(accessKeyID: server.accessKey, secretAccessKey: server.secretKey)
            let request = SignableRequest(
                method: "PUT", host: "127.0.0.1:\(server.port)", path: "/\(bench.bucket)/pre%20signed", query: [])
            func url(_ date: Date) -> String {
                "\(server.url)\(request.path)?\(signer.presign(request, expiresInSeconds: 60, credentials: keys, at: date))"
            }
            let conformance = bench.conformance()
            var job = try conformance.job([4, 5], key: "unused")
            let web = HTTPDestination(HTTPConfiguration(), client: bench.client)
            job.destination = .url(url(Date()))
            try await conformance.send(of: job, to: web.open(job, resuming: nil))
            #expect(try await bench.observer.get(bench.bucket, "pre signed") == [4, 5])

            job.destination = .url(url(Date(timeIntervalSinceNow: -300)))
            let session = try await web.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await conformance.send(of: job, to: session) }
            #expect(error?.code == .accessDenied)
            #expect(error?.message.contains("has expired") == true)
            #expect(error?.message.contains("X-Amz-Signature") == false)
        }
    }
}

import AsyncHTTPClient
import Foundation
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// TLS with a client certificate, for all drivers that speak HTTP, against nginx.
@Suite(.timeLimit(.minutes(10)))
struct HTTPClientCertificateTests {
    private struct Bench: Sendable {
        let server: WebDAVServer
        let files: TestCertificates
        let scratch: TemporaryDirectory
        let client: HTTPClient

        /// The two drivers whose files this server accepts.
        func destinations(_ tls: TLSFiles) throws -> [any Destination] {
            let url = server.url(isSecure: true)
            return [
                HTTPDestination(HTTPConfiguration(url: url, tls: tls), client: client),
                try WebDAVDestination(WebDAVConfiguration(url: url, tls: tls), client: client),
            ]
        }

        func carry(_ key: String, to destination: any Destination) async throws {
            let conformance = DestinationConformance(
                destination: { destination }, sources: LocalSources(areas: [], roots: []),
                reference: { .named(DestinationName(unchecked: "web"), key: $0) }, stored: { server.stored($0) },
                partBytes: 1)
            try await conformance.carry(conformance.job([1, 2, 3], key: key))
        }

        func failures(_ tls: TLSFiles) async throws -> [UploadError?] {
            var failures: [UploadError?] = []
            for destination in try destinations(tls) {
                failures.append(
                    await #expect(throws: UploadError.self) {
                        try await carry("refused \(destination.driver)", to: destination)
                    })
                #expect(server.stored("refused \(destination.driver)") == nil)
            }
            return failures
        }
    }

    private func withBench(_ body: (Bench) async throws -> Void) async throws {
        let scratch = try TemporaryDirectory("certificates")
        let files = try await TestCertificates.make(in: scratch.path)
        let server = try await WebDAVServer.start(.nginx, certificates: files)
        var configuration = HTTPConfiguration.clientConfiguration
        // The next request waits for the connection, which may be returned only after its answer was reported.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body(Bench(server: server, files: files, scratch: scratch, client: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
        try await server.stop()
    }

    @Test func `a client with the right certificate is let in, over few connections`() async throws {
        try await withBench { bench in
            let tls = TLSFiles(
                authorities: bench.files.authority, certificate: bench.files.clientCertificate,
                key: bench.files.clientKey)
            for destination in try bench.destinations(tls) {
                for number in 0..<5 { try await bench.carry("\(destination.driver)-\(number)", to: destination) }
                #expect(bench.server.stored("\(destination.driver)-4") == [1, 2, 3])
            }
            #expect(bench.server.connectionCount == 1, "the files that are read anew are the same")
        }
    }

    @Test func `a key may stand in the certificate's file`() async throws {
        try await withBench { bench in
            let both = try [bench.files.clientCertificate, bench.files.clientKey].map {
                try String(contentsOfFile: $0, encoding: .utf8)
            }.joined()
            let file = try bench.scratch.write(both, to: "both.pem").path
            let tls = TLSFiles(authorities: bench.files.authority, certificate: file)
            for destination in try bench.destinations(tls) {
                try await bench.carry(destination.driver, to: destination)
            }
            #expect(bench.server.stored("webdav") == [1, 2, 3])
        }
    }

    @Test func `a client without a certificate is refused, and the error quotes the server`() async throws {
        try await withBench { bench in
            for error in try await bench.failures(TLSFiles(authorities: bench.files.authority)) {
                #expect(error?.code == .rejected && error?.retry == .never, "\(error as Any)")
                #expect(error?.response?.body?.contains("No required SSL certificate") == true)
            }
        }
    }

    @Test func `a server of an unknown authority is refused, and what can be done is said`() async throws {
        try await withBench { bench in
            let tls = TLSFiles(
                authorities: bench.files.otherAuthority, certificate: bench.files.clientCertificate,
                key: bench.files.clientKey)
            for error in try await bench.failures(tls) {
                #expect(error?.code == .misconfigured, "\(error as Any)")
                #expect(error?.message.contains("caFile") == true)
            }
        }
    }

    @Test func `a certificate for another name does not lack an authority`() async throws {
        try await withBench { bench in
            let tls = TLSFiles(
                authorities: bench.files.authority, certificate: bench.files.clientCertificate,
                key: bench.files.clientKey)
            var configuration = HTTPConfiguration.clientConfiguration
            configuration.dnsOverride = ["other.test": "127.0.0.1"]
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let url = bench.server.url(isSecure: true).replacing("localhost", with: "other.test")
            let destination = HTTPDestination(HTTPConfiguration(url: url, tls: tls), client: client)
            let error = await #expect(throws: UploadError.self) { try await bench.carry("other", to: destination) }
            #expect(error?.code == .misconfigured && error?.message.contains("for another name") == true)
            try await client.shutdown()
        }
    }

    @Test func `a file that cannot be read, or holds something else, is named with its key`() async throws {
        try await withBench { bench in
            let right = TLSFiles(
                authorities: bench.files.authority, certificate: bench.files.clientCertificate,
                key: bench.files.clientKey)
            let missing = bench.scratch.path("missing.pem")
            let nonsense = try bench.scratch.write("nonsense", to: "nonsense.pem").path
            for name in ["caFile", "certificateFile", "keyFile"] {
                // A file that holds no authority is only found when a connection is made.
                for file in name == "caFile" ? [missing] : [missing, nonsense] {
                    var wrong = right
                    switch name {
                    case "caFile": wrong.authorities = file
                    case "certificateFile": wrong.certificate = file
                    default: wrong.key = file
                    }
                    for error in try await bench.failures(wrong) {
                        #expect(error?.code == .misconfigured, "\(error as Any)")
                        #expect(error?.message.contains(file) == true && error?.message.contains(name) == true)
                    }
                }
            }
            // A key that belongs to another certificate.
            var wrong = right
            wrong.key = bench.files.serverKey
            for error in try await bench.failures(wrong) { #expect(error?.code == .misconfigured, "\(error as Any)") }
        }
    }
}

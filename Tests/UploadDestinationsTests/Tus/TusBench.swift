import AsyncHTTPClient
import Foundation
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A real tus server, a proxy before it, and the driver for it.
struct TusBench: Sendable {
    static let partBytes = 1 << 20

    let server: TusServer
    let proxy: HTTPFaultProxy
    let client: HTTPClient
    /// Separates the keys of tests on one server.
    let folder = UniqueNames.make("tus")

    /// Runs the body with the shared server, or another one.
    static func with(_ server: TusServer? = nil, _ body: (TusBench) async throws -> Void) async throws {
        let server = if let server { server } else { try await TusServer.shared() }
        let proxy = try HTTPFaultProxy(to: server.port)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(TusBench(server: server, proxy: proxy, client: client))
        } catch {
            proxy.stop()
            try await client.shutdown()
            throw error
        }
        proxy.stop()
        try await client.shutdown()
    }

    /// The configuration through the proxy, with parts of 1 MiB.
    var configuration: TusConfiguration {
        var configuration = TusConfiguration(url: server.url(port: proxy.port))
        configuration.partBytes = Int64(Self.partBytes)
        configuration.lockedPauseSeconds = [0.05, 0.05]
        return configuration
    }

    /// A driver as another worker would have it.
    func destination(_ configuration: TusConfiguration? = nil) throws -> TusDestination {
        try TusDestination(configuration ?? self.configuration, client: client)
    }

    func conformance(_ configuration: TusConfiguration? = nil) -> DestinationConformance {
        var conformance = DestinationConformance(
            destination: { try destination(configuration) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "tus"), key: "\(folder)/\($0)") },
            stored: { try server.stored("\(folder)/\($0)") }, partBytes: Self.partBytes)
        conformance.forgetsCompletedSessions = false
        return conformance
    }

    /// A job of inline bytes.
    func job(parts: Double, key: String = "file") throws -> UploadJob {
        try conformance().job(DestinationConformance.bytes(Int(parts * Double(Self.partBytes))), key: key)
    }

    func send(_ parts: Int = .max, of job: UploadJob, to session: any UploadSession) async throws {
        try await conformance().send(parts, of: job, to: session)
    }

    func source(of job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await conformance().sources.claim(job) else {
            throw DidNotHappen("an inline source can always be claimed")
        }
        return source
    }

    /// The uploads of this test's keys.
    func uploads() throws -> [TusServer.Upload] {
        try server.uploads().filter { $0.metadata["relativePath"]?.hasPrefix(folder + "/") == true }
    }

    /// The offsets from which bytes were sent, in order.
    var offsetsSent: [Int] {
        proxy.requests.filter { $0.method == "PATCH" }.compactMap {
            $0.request.header("upload-offset").flatMap { Int($0) }
        }
    }

    /// Bytes of PATCH bodies that have reached the server's side of the proxy.
    var bytesSent: Int { proxy.requests.filter { $0.method == "PATCH" }.reduce(0) { $0 + $1.bodyBytes } }
}

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ResumableTesting
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A server of resumable uploads, a proxy before it, and the driver for it.
struct ResumableBench: Sendable {
    static let partBytes = 1 << 20

    let server: any ResumableServer
    let proxy: HTTPFaultProxy
    let client: HTTPClient

    static func with(_ server: any ResumableServer, _ body: (ResumableBench) async throws -> Void) async throws {
        let proxy = try HTTPFaultProxy(to: server.port)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(ResumableBench(server: server, proxy: proxy, client: client))
        } catch {
            proxy.stop()
            try await client.shutdown()
            throw error
        }
        proxy.stop()
        try await client.shutdown()
    }

    /// The configuration through the proxy, with parts of 1 MiB.
    var configuration: ResumableConfiguration {
        var configuration = ResumableConfiguration(url: "http://127.0.0.1:\(proxy.port)/files/")
        configuration.partBytes = Int64(Self.partBytes)
        return configuration
    }

    func configuration(_ interop: ResumableInterop?) -> ResumableConfiguration {
        var configuration = self.configuration
        configuration.interop = interop
        return configuration
    }

    /// A driver as another worker would have it.
    func destination(_ configuration: ResumableConfiguration? = nil) throws -> ResumableDestination {
        try ResumableDestination(configuration ?? self.configuration, client: client)
    }

    func conformance(_ configuration: ResumableConfiguration? = nil) -> DestinationConformance {
        var conformance = DestinationConformance(
            destination: { try destination(configuration) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "resumable"), key: $0) },
            stored: { server.stored($0) }, partBytes: Self.partBytes)
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
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
            throw DidNotHappen("an inline source can always be claimed")
        }
        return source
    }

    func requests(_ method: String) -> [HTTPFaultProxy.Record] { proxy.requests.filter { $0.method == method } }

    /// The offsets from which bytes were sent, in order.
    var offsetsSent: [Int] {
        requests("PATCH").compactMap { $0.request.header("upload-offset").flatMap { Int($0) } }
    }

    /// Bytes of PATCH bodies that have reached the server's side of the proxy.
    var bytesSent: Int { requests("PATCH").reduce(0) { $0 + $1.bodyBytes } }

    /// The number of bytes that the server holds, read without the driver and the proxy.
    func offset(of session: any UploadSession) async throws -> Int {
        guard let state = session.state else { throw DidNotHappen("the session has a state") }
        let known = try ResumableState(state)
        var request = HTTPClientRequest(
            url: known.url.replacing(":\(proxy.port)/", with: ":\(server.port)/"))
        request.method = .HEAD
        request.headers.add(name: "upload-draft-interop-version", value: String(known.interop.rawValue))
        let response = try await client.execute(request, timeout: .seconds(60))
        return response.headers.first(name: "upload-offset").flatMap { Int($0) } ?? -1
    }
}

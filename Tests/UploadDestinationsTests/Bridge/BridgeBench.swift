import AsyncHTTPClient
import Foundation
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A scripted Bridge that follows the specification, and the driver for it.
struct BridgeBench: Sendable {
    let server: BridgeServer
    let client: HTTPClient

    static func with(_ body: (BridgeBench) async throws -> Void) async throws {
        let server = try BridgeServer()
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(BridgeBench(server: server, client: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    var configuration: BridgeConfiguration {
        BridgeConfiguration(
            url: server.url, appID: BridgeServer.appID, account: .email(BridgeServer.email),
            password: BridgeServer.password)
    }

    /// A driver as another worker would have it, with a session of its own.
    func destination(_ change: (inout BridgeConfiguration) -> Void = { _ in }) throws -> BridgeDestination {
        var configuration = configuration
        change(&configuration)
        return try BridgeDestination(configuration, client: client)
    }

    /// - Parameter destination: one destination for all jobs, as in a worker.
    func conformance(_ destination: BridgeDestination) -> DestinationConformance {
        DestinationConformance(
            destination: { destination }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "bridge"), key: $0) },
            stored: { key in server.uploads.last { $0.name == FileName(path: key).name }?.bytes }, partBytes: 100_000)
    }

    func job(_ count: Int = 1000, key: String = "study/file.zip", seed: UInt8 = 1) throws -> UploadJob {
        try conformance(destination()).job(DestinationConformance.bytes(count, seed: seed), key: key)
    }

    func source(of job: UploadJob) async throws -> any UploadSource { try await Self.source(of: job) }

    static func source(of job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
            throw DidNotHappen("an inline source can always be claimed")
        }
        return source
    }

    /// Sends the one part as the engine does: up to `tries` times, while the error allows a retry.
    func send(_ job: UploadJob, to session: any UploadSession, from given: (any UploadSource)? = nil, tries: Int = 4)
        async throws
    {
        let source = if let given { given } else { try await source(of: job) }
        for part in session.missing {
            for number in 1...tries {
                do {
                    try await session.upload(part, from: source) { _ in }
                    break
                } catch {
                    guard error.retry != .never, number < tries else { throw error }
                }
            }
        }
    }

    /// All text of an error that could be shown.
    static func shown(_ error: UploadError?) -> String {
        "\(error as Any) \(error?.response as Any) \(error.map { String(describing: try? WireJSON.encode($0)) } ?? "")"
    }
}

import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A real store, a proxy before it, an endpoint that pre-signs URLs for it, and the driver.
struct PresignedBench: Sendable {
    enum Store: Sendable, CaseIterable { case swift, rclone }

    /// The endpoint's behaviour.
    struct Script: Sendable {
        /// Seconds from now at which the n-th URL was signed, and how long it is valid.
        var signedAtSeconds: @Sendable (Int) -> Double = { _ in 0 }
        var goodForSeconds = 60
        /// The endpoint's value for `expires`, in seconds from now; nil: no value.
        var saidSeconds: Double?
        var signsMD5 = false
        /// An error answer instead.
        var fault: @Sendable (EndpointServer.Request, Int) -> EndpointServer.Answer? = { _, _ in nil }
        /// The status words, one for each question; the last one repeats.
        var words = ["ready"]
    }

    static let bucket = "presigned"

    let store: Store
    let signer: EndpointServer
    let proxy: HTTPFaultProxy
    let client: HTTPClient
    /// Reads stored bytes without the driver and the endpoint.
    let stored: @Sendable (String) async throws -> [UInt8]?
    private let script: ScriptBox

    private final class ScriptBox: Sendable {
        let script = Mutex(Script())
        let count = Mutex(0)
        let told = Mutex(0)
    }

    static func with(_ store: Store = .swift, _ body: (PresignedBench) async throws -> Void) async throws {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        do {
            switch store {
            case .swift:
                let server = try await OpenStackSwiftServer.shared()
                let bucket = UniqueNames.make("presigned")
                let observer = try await S3Observer(server.endpoint)
                try await observer.createBucket(bucket)
                try await body(
                    PresignedBench(store, server.endpoint, port: server.port, bucket, client) { key in
                        try await observer.get(bucket, key)
                    })
            case .rclone:
                let server = try await RcloneS3Server.start(buckets: [bucket])
                try await body(
                    PresignedBench(store, server.endpoint, port: server.port, bucket, client) { key in
                        server.stored(bucket, key)
                    })
                try await server.stop()
            }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private init(
        _ store: Store, _ endpoint: S3Endpoint, port: Int, _ bucket: String, _ client: HTTPClient,
        stored: @escaping @Sendable (String) async throws -> [UInt8]?
    ) throws {
        self.store = store
        self.client = client
        self.stored = stored
        let proxy = try HTTPFaultProxy(to: port)
        let script = ScriptBox()
        self.proxy = proxy
        self.script = script
        signer = try EndpointServer { request in
            let number = script.count.withLock { count in
                count += 1
                return count
            }
            if let answer = script.script.withLock({ $0.fault })(request, number) { return answer }
            guard request.headers["authorization"] == "Bearer swordfish-1234" else { return .status(401) }
            let words = request.path.split(separator: "/").map(String.init)
            switch (request.method, words.first) {
            case ("POST", "sign"): return Self.sign(request, script, endpoint.through(port: proxy.port), bucket)
            case ("POST", "done"):
                let isThere = proxy.requests.contains {
                    $0.method == "PUT" && $0.serverStatus == 200
                        && $0.request.path.hasSuffix("/" + (words.last?.removingPercentEncoding ?? ""))
                }
                return isThere ? .json(["told": true]) : .json(404, ["message": "nothing is there"])
            case ("GET", "state"):
                let told = script.told.withLock { told in
                    told += 1
                    return told - 1
                }
                let all = script.script.withLock(\.words)
                return .json(["upload": ["state": all[min(told, all.count - 1)]] as [String: any Sendable]])
            default: return .status(404)
            }
        }
    }

    func script(_ change: (inout Script) -> Void) { script.script.withLock { change(&$0) } }

    private static func sign(
        _ request: EndpointServer.Request, _ script: ScriptBox, _ endpoint: S3Endpoint, _ bucket: String
    ) -> EndpointServer.Answer {
        let rules = script.script.withLock(\.self)
        let number = script.count.withLock(\.self)
        guard let key = request.text("key"), let path = try? URLKey.path(key) else {
            return .json(400, ["message": "there is no key"])
        }
        let host = String(endpoint.url.dropFirst("http://".count))
        var signed = SignableRequest(method: "PUT", host: host, path: "/\(bucket)/\(path)")
        var headers = ["x-amz-meta-by": "endpoint"]
        for (name, value) in headers { signed.headers.add(name: name, value: value) }
        if rules.signsMD5 {
            signed.headers.add(name: "content-md5", value: request.text("digest") ?? "")
            headers["Content-Length"] = "7"
        }
        let query = SigV4Signer(region: endpoint.region).presign(
            signed, expiresInSeconds: rules.goodForSeconds,
            credentials: AWSCredentials(accessKeyID: endpoint.accessKey, secretAccessKey: endpoint.secretKey),
            at: Date(timeIntervalSinceNow: rules.signedAtSeconds(number)))
        var upload: [String: any Sendable] = [
            "to": "\(endpoint.url)/\(bucket)/\(path)?\(query)", "name": path, "with": headers,
        ]
        if let seconds = rules.saidSeconds { upload["until"] = Date(timeIntervalSinceNow: seconds).ISO8601Format() }
        return .json(201, ["data": ["uploads": [upload] as [any Sendable]] as [String: any Sendable]])
    }

    var configuration: PresignedConfiguration {
        var configuration = PresignedConfiguration(
            url: signer.url + "/sign", headers: ["Authorization": "Bearer swordfish-1234"])
        configuration.answer = PresignedAnswer(
            url: "data.uploads.0.to", id: "data.uploads.0.name", expires: "data.uploads.0.until",
            headers: "data.uploads.0.with")
        configuration.completion = PresignedCompletion(
            url: signer.url + "/done/{id}", sendsAgainWhenAbsent: true)
        return configuration
    }

    /// A driver as another worker would have it.
    func destination(
        _ change: (inout PresignedConfiguration) -> Void = { _ in }
    ) throws -> PresignedDestination {
        var configuration = configuration
        change(&configuration)
        return try PresignedDestination(configuration, client: client)
    }

    func conformance(
        _ change: @escaping @Sendable (inout PresignedConfiguration) -> Void = { _ in }
    ) -> DestinationConformance {
        DestinationConformance(
            destination: { try destination(change) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "signed"), key: $0) }, stored: stored, partBytes: 1 << 20)
    }

    func job(_ count: Int = 1000, key: String = "folder/file.txt", seed: UInt8 = 1) throws -> UploadJob {
        try conformance().job(DestinationConformance.bytes(count, seed: seed), key: key)
    }

    /// Sends the one part as the engine does: up to `tries` times, while the error allows a retry.
    func send(_ job: UploadJob, to session: any UploadSession, tries: Int = 4) async throws {
        let source = try await BridgeBench.source(of: job)
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

    /// How often the driver asked for a URL.
    var signings: Int { signer.requests.count { $0.path == "/sign" } }
    /// The store's answer to each PUT.
    var puts: [Int?] { proxy.requests.filter { $0.method == "PUT" }.map(\.serverStatus) }
}

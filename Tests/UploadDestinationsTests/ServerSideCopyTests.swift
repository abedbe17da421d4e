import Foundation
import NIOHTTP1
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Copies that a destination's server makes by itself.
@Suite(.timeLimit(.minutes(10)))
struct ServerSideCopyTests {
    // MARK: S3

    /// The bench's bucket as origin and destination; requests for the destination pass the proxy.
    private func conformance(
        _ bench: S3Bench, through proxy: HTTPFaultProxy, _ change: @escaping (inout S3Configuration) -> Void = { _ in }
    ) -> CopyConformance {
        var configuration = bench.configuration(by: bench.endpoint.through(port: proxy.port))
        change(&configuration)
        let conformance = bench.conformance(configuration)
        return CopyConformance(
            origin: OriginConformance(
                conformance: conformance, put: { _ = try await bench.observer.put(bench.bucket, $0, $1) },
                remove: { try await bench.observer.delete(bench.bucket, $0) }))
    }

    private func withBench(
        _ endpoint: S3Endpoint, _ body: (S3Bench, HTTPFaultProxy) async throws -> Void
    ) async throws {
        try await S3Bench.with(endpoint) { bench in
            let port = try #require(URLComponents(string: endpoint.url)?.port)
            let proxy = try HTTPFaultProxy(to: port)
            try await body(bench, proxy)
            proxy.stop()
        }
    }

    @Test func `OpenStack Swift copies objects and parts`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive()
            #expect(proxy.requests.allSatisfy { $0.method != "GET" || $0.request.query["uploadId"] != nil })
            #expect(proxy.requests.filter { $0.method == "PUT" }.allSatisfy { $0.bodyBytes == 0 })
            try await copies.whatChangesIsNotCopied()
        }
    }

    @Test func `moto copies objects and parts`() async throws {
        let server = try await MotoServer.start()
        try await withBench(server.endpoint) { bench, proxy in
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive()
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty, "a trial was left")
            try await copies.whatChangesIsNotCopied()
        }
    }

    /// rclone copies objects and no parts.
    @Test func `what rclone does not copy is carried`() async throws {
        let server = try await RcloneS3Server.start()
        try await withBench(server.endpoint) { bench, proxy in
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive { $0 <= S3Bench.partBytes }
        }
    }

    @Test func `a copy has the properties and the metadata of its job`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            try await bench.observer.put(
                bench.bucket, "plain", Array("text".utf8), metadata: ["old": "1", "longshore-job": "another"],
                options: ["ContentType": "text/plain"])
            let copies = conformance(bench, through: proxy)
            var job = try await copies.origin.examined("plain", to: try copies.origin.conformance.reference("made"))
            job.contentType = "application/x-made"
            job.metadata = ["new": "2"]
            let source = try await copies.origin.source(job)
            let session = try await copies.origin.conformance.destination().open(job, resuming: nil)
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
            #expect(try await session.complete(.none).object.isServerSideCopy)
            let head = try #require(try await bench.observer.head(bench.bucket, "made"))
            #expect(head.contentType == "application/x-made")
            #expect(head.metadata["new"] == "2" && head.metadata["old"] == nil)
            #expect(head.metadata["longshore-job"] == job.id.rawValue)
            await session.close()
        }
    }

    private static func isCopy(_ request: HTTPFaultProxy.Request) -> Bool {
        request.header("x-amz-copy-source") != nil
    }

    @Test(arguments: [
        (403, "AccessDenied"), (501, "NotImplemented"), (400, "InvalidRequest"), (500, "InternalError"),
        (200, "InternalError"),
    ])
    func `a server that refuses to copy gets the bytes`(status: Int, code: String) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { request in
                guard Self.isCopy(request) else { return .forward }
                return .answer(status: status, body: "<Error><Code>\(code)</Code><Message>no</Message></Error>")
            }
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive { _ in false }
            // One request for each session, not for each part; and one for the client that learned it.
            let refused = proxy.requests.count { Self.isCopy($0.request) }
            #expect((1...5).contains(refused), "\(refused) requests")
        }
    }

    @Test func `a server that breaks copies off gets the bytes`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { Self.isCopy($0) ? .cut : .forward }
            let copies = conformance(bench, through: proxy)
            try await bench.observer.put(bench.bucket, "from", Array("text".utf8))
            let copied = try await copies.copy("from", to: "to")
            #expect(!copied.upload.object.isServerSideCopy && copied.bytesSent == 4)
        }
    }

    @Test func `a server that asks for fewer requests is not sent the bytes instead`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { request in
                guard Self.isCopy(request) else { return .forward }
                return .answer(status: 503, body: "<Error><Code>SlowDown</Code><Message>no</Message></Error>")
            }
            let copies = conformance(bench, through: proxy)
            try await bench.observer.put(bench.bucket, "from", Array("text".utf8))
            let error = await #expect(throws: UploadError.self) { _ = try await copies.copy("from", to: "to") }
            #expect(error?.code == .rateLimited, "\(error as Any)")
        }
    }

    /// moto checks no signatures, so the proxy can take the header away.
    @Test(arguments: [WriteCondition.none, .absent])
    func `a server that does not know of copies makes no empty objects`(condition: WriteCondition) async throws {
        let server = try await MotoServer.start()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { request in
                guard Self.isCopy(request) else { return .forward }
                return .rewriteRequest { $0.removeAll { $0.name.lowercased().hasPrefix("x-amz-copy-source") } }
            }
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive { _ in false }
        }
    }

    private static func isTrial(_ request: HTTPFaultProxy.Request) -> Bool {
        request.path.contains("/.longshore-trial/")
    }

    @Test(arguments: [("POST", 403, "AccessDenied"), ("PUT", 404, "NoSuchUpload")])
    func `where no trial tells whether parts are copied, they are carried`(
        method: String, status: Int, code: String
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { request in
                guard Self.isTrial(request), request.method == method else { return .forward }
                return .answer(status: status, body: "<Error><Code>\(code)</Code><Message>no</Message></Error>")
            }
            let copies = conformance(bench, through: proxy)
            try await copies.copiesArrive { $0 <= S3Bench.partBytes }
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty, "a trial was left")
        }
    }

    @Test func `a server that copies only the trial gets the bytes in a new upload`() async throws {
        let server = try await MotoServer.start()
        try await withBench(server.endpoint) { bench, proxy in
            proxy.setRule { request in
                guard Self.isCopy(request), !Self.isTrial(request) else { return .forward }
                return .rewriteRequest { $0.removeAll { $0.name.lowercased().hasPrefix("x-amz-copy-source") } }
            }
            let copies = conformance(bench, through: proxy)
            let bytes = DestinationConformance.bytes(2 * S3Bench.partBytes, seed: 3)
            try await copies.origin.put("from", bytes)
            let job = try await copies.origin.examined("from", to: try copies.origin.conformance.reference("to"))
            let source = try await copies.origin.source(job)
            let worker = try copies.origin.conformance.destination()
            let spoilt = try await worker.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await spoilt.upload(#require(spoilt.missing.first), from: source) { _ in }
            }
            #expect(error?.code == .sessionExpired, "\(error as Any)")
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty, "the spoilt upload was left")
            await spoilt.close()
            let session = try await worker.open(job, resuming: nil)
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
            #expect(try await !session.complete(.none).object.isServerSideCopy)
            #expect(try await copies.origin.conformance.stored("to") == bytes)
            await session.close()
            await source.close()
        }
    }

    @Test func `where only sent bytes prove an object, they are sent`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            let copies = conformance(bench, through: proxy) { $0.etag = .md5 }
            try await copies.copiesArrive { _ in false }
            #expect(!proxy.requests.contains { Self.isCopy($0.request) })
        }
    }

    /// A server whose PUT obeys conditions may make a copy in spite of one: then the one part is carried.
    @Test func `a condition that the server obeys is not given up for a copy`() async throws {
        let server = try await RcloneS3Server.start()
        try await withBench(server.endpoint) { bench, proxy in
            let copies = conformance(bench, through: proxy) { $0.conditions = .put }
            try await bench.observer.put(bench.bucket, "from", Array("text".utf8))
            #expect(try await copies.copy("from", to: "to", condition: .none).upload.object.isServerSideCopy)
            #expect(try await !copies.copy("from", to: "to2", condition: .absent).upload.object.isServerSideCopy)
        }
    }

    @Test func `another server's object is carried`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await withBench(server.endpoint) { bench, proxy in
            var copies = conformance(bench, through: proxy)
            let direct = bench.configuration
            copies.destination = { try bench.destination(direct) }
            try await copies.copiesArrive { _ in false }
        }
    }

    // MARK: Directories

    private func directories(_ scratch: TemporaryDirectory) throws -> CopyConformance {
        let name = try DestinationName("archive")
        let conformance = DestinationConformance(
            destination: {
                var configuration = DirectoryConfiguration(path: scratch.path)
                configuration.partBytes = 8 << 20
                return DirectoryDestination(configuration)
            },
            sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
            stored: { scratch.read($0) }, partBytes: 8 << 20)
        try FileManager.default.createDirectory(at: scratch.file("from"), withIntermediateDirectories: false)
        return CopyConformance(
            origin: OriginConformance(
                conformance: conformance, put: { try Data($1).write(to: scratch.file($0)) },
                remove: { try FileManager.default.removeItem(at: scratch.file($0)) }))
    }

    @Test func `the kernel copies files of a directory`() async throws {
        let scratch = try TemporaryDirectory()
        let copies = try directories(scratch)
        try await copies.copiesArrive()
        try await copies.whatChangesIsNotCopied()
    }

    @Test func `files of another file system are carried`() async throws {
        let scratch = try TemporaryDirectory()
        // /dev/shm is another file system.
        let memory = URL(filePath: "/dev/shm/\(UniqueNames.make("longshore"))")
        try FileManager.default.createDirectory(at: memory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: memory) }
        var copies = try directories(scratch)
        copies.destination = { DirectoryDestination(DirectoryConfiguration(path: memory.path)) }
        try await copies.origin.put("from/a", Array("text".utf8))
        let copied = try await copies.copy("from/a", to: "a")
        #expect(copied.bytesSent == 4 && !copied.upload.object.isServerSideCopy)
        #expect(try Data(contentsOf: memory.appending(path: "a")) == Data("text".utf8))
    }

    // MARK: WebDAV

    @Test(arguments: WebDAVServer.Kind.allCases)
    func `a WebDAV server copies its files`(kind: WebDAVServer.Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let straight = bench.conformance(isDirect: true)
            let copies = CopyConformance(
                origin: OriginConformance(
                    conformance: bench.conformance(),
                    put: { _ = try await straight.carry(straight.job($1, key: $0)) },
                    remove: { _ = try await bench.ask(HTTPMethod.DELETE, $0) }))
            try await copies.copiesArrive(named: "")
            // What the server makes of such a name in the Destination is found out with a file that has arrived.
            try await copies.copiesArrive { _ in false }
            try await copies.whatChangesIsNotCopied()
        }
    }
}

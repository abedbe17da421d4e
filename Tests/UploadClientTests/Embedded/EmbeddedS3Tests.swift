import Foundation
import Glibc
import Testing
import UploadClient
import UploadDestinations
import UploadEmbedded
import UploadTesting
import Uploads

@testable import UploadClientTesting

@Suite("An embedded manager and a bucket", .serialized, .timeLimit(.minutes(10))) struct EmbeddedS3Tests {
    private static let bucket = "media"
    private let bench: EmbeddedBench

    init() throws { bench = try EmbeddedBench() }

    private func destinations(_ endpoint: S3Endpoint) throws -> EmbeddedDestinations {
        let credentials = AWSCredentials(accessKeyID: endpoint.accessKey, secretAccessKey: endpoint.secretKey)
        return EmbeddedDestinations([
            DestinationName(unchecked: "bucket"): try S3Destination(
                S3Configuration(endpoint: endpoint.url, region: endpoint.region, bucket: Self.bucket),
                credentials: StaticCredentials(credentials))
        ])
    }

    @Test func `uploads in parts and tells how far it has come`() async throws {
        let server = try await RcloneS3Server.start(buckets: [Self.bucket], streamsParts: false)
        let proxy = try HTTPFaultProxy(to: server.port) { request in
            // Slow enough that progress can be seen.
            request.partNumber == nil ? .forward : .throttle(bytesPerSecond: 6 << 20)
        }
        let bytes = EmbeddedBench.bytes(40 << 20)
        try await bench.with(try destinations(server.endpoint.through(port: proxy.port))) { manager in
            let handle = try await manager.start(try Upload(.data(Data(bytes)), to: "bucket:films/movie.mp4"))
            var seen: [Int64] = []
            for await update in handle.updates where seen.last != update.bytesDone { seen.append(update.bytesDone) }
            let receipt = try await handle.completion
            #expect(receipt.object.size == Int64(bytes.count))
            #expect(seen == seen.sorted())
            #expect(seen.contains { $0 > 0 && $0 < bytes.count })
            #expect(seen.last == Int64(bytes.count))
            try await eventually("it is stored") { server.stored(Self.bucket, "films/movie.mp4") == bytes }
            #expect(proxy.partsSent == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])
        }
        proxy.stop()
        try await server.stop()
    }

    @Test func `a program that was killed in the middle is taken up from what the bucket holds`() async throws {
        let server = try await RcloneS3Server.start(buckets: [Self.bucket], streamsParts: false)
        let proxy = try HTTPFaultProxy(to: server.port) { request in
            (request.partNumber ?? 0) > 3 ? .stallRequest(afterBytes: 1000) : .forward
        }
        let endpoint = server.endpoint.through(port: proxy.port)
        let bytes = EmbeddedBench.bytes((40 << 20) + 5000)
        let file = try bench.scratch.write(bytes, to: "movie.mp4")
        let program = try ChildProcess(
            EmbeddedProgram.path("example-embedded"),
            [
                file, "--to", "bucket:movie.mp4", "--bucket", Self.bucket, "--endpoint", endpoint.url, "--region",
                endpoint.region, "--state", bench.state.path,
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "AWS_ACCESS_KEY_ID": endpoint.accessKey,
                "AWS_SECRET_ACCESS_KEY": endpoint.secretKey,
            ], output: bench.scratch.path("output"), errors: bench.scratch.path("errors"))
        do {
            try await eventually("three parts are there, and others under way") {
                let requests = proxy.requests
                let held = requests.filter { ($0.request.partNumber ?? 9) <= 3 && $0.status == 200 }
                return held.count == 3 && requests.contains { ($0.request.partNumber ?? 0) > 3 }
            }
        } catch {
            program.stop(SIGKILL)
            throw DidNotHappen(
                "\(error): \(String(decoding: bench.scratch.read("errors") ?? [], as: UTF8.self).suffix(2000))")
        }
        program.stop(SIGKILL)
        try FileManager.default.removeItem(atPath: file)
        proxy.setRule { _ in .forward }
        proxy.forget()

        let told = Told()
        let manager = try await manager(at: endpoint)
        try await manager.setDelegate(told)
        try await eventually("it is told") { told.outcomes.count == 1 }
        #expect(told.outcomes.first?.isCompleted == true, "\(told.outcomes)")
        try await eventually("it is stored") { server.stored(Self.bucket, "movie.mp4") == bytes }
        #expect(proxy.partsSent == [4: 1, 5: 1, 6: 1])
        #expect(try await manager.uploads().isEmpty)
        await manager.close()

        // The next program gets no outcome again.
        let next = try await self.manager(at: endpoint)
        try await next.setDelegate(told)
        #expect(try await next.handlePendingEvents() == 0)
        await next.close()
        #expect(told.outcomes.count == 1)
        proxy.stop()
        try await server.stop()
    }

    /// Opens the manager as the example does.
    private func manager(at endpoint: S3Endpoint) async throws -> EmbeddedUploadManager {
        try await EmbeddedUploadManager(
            UploadIdentifier("example"), directory: bench.state, destinations: try destinations(endpoint))
    }
}

/// A built example, beside the test bundle.
enum EmbeddedProgram {
    static func path(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
    }
}

import Foundation
import Testing
import UploadTesting

/// The programs with a foreign tus server.
@Suite(.serialized, .timeLimit(.minutes(40))) struct TusTests {
    private static let part = 8 << 20

    /// The byte ranges that reached the server, by the offset that each request names.
    private func ranges(_ proxy: HTTPFaultProxy) -> [Range<Int>] {
        proxy.requests.compactMap { record in
            guard record.method == "PATCH", let offset = record.request.header("upload-offset").flatMap({ Int($0) })
            else { return nil }
            return offset..<offset + record.bodyBytes
        }
    }

    @Test func aServerThatForgetsEveryUploadIsAskedForAsManyAsThereAreAttempts() async throws {
        let server = try await TusServer.start()
        let proxy = try HTTPFaultProxy(to: server.port)
        let destination = "intake: {driver: tus, url: '\(server.url(port: proxy.port))', partSize: 8MiB}"
        try await Deployment.with(destinations: [destination]) { deployment in
            // As with two servers that do not share their disks, or a server whose Location leads past a proxy.
            proxy.setRule { ["HEAD", "PATCH"].contains($0.method) ? .answer(status: 404) : .forward }
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("large.bin", bytes: 20_000_000)
            let ids = try await deployment.enqueue(["--to", "intake:large.bin", "--max-attempts", "3", file.path])
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.failed")
            let error = (outcome["data"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "sessionExpired")
            #expect((error?["message"] as? String)?.contains("must share their storage") == true, "\(error ?? [:])")
            #expect(proxy.requests.count { $0.method == "POST" } <= 3)
        }
    }

    @Test func afterAKillAnotherWorkerGoesOnAtTheByteWhereTheServerStopped() async throws {
        let server = try await TusServer.start(token: "swordfish-1234")
        let proxy = try HTTPFaultProxy(to: server.port)
        let destination =
            "intake: {driver: tus, url: '\(server.url(port: proxy.port))', bearerToken: swordfish-1234, partSize: 8MiB}"
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.notifier)
            // Slow enough on any machine for a kill in the middle of a part.
            proxy.setRule { $0.method == "PATCH" ? .throttle(bytesPerSecond: 2 << 20) : .forward }
            let size = 5 * Self.part + 12_345
            let file = try deployment.makeFile("large.bin", bytes: size)
            let victim = try deployment.start(.worker)
            let ids = try await deployment.enqueue(["--to", "intake:in/large.bin", file.path])
            try await eventually("the second part is on its way") {
                self.ranges(proxy).contains { $0.lowerBound >= Self.part && $0.count > 1 << 20 }
            }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            let before = proxy.requests.count
            // The server counts the received bytes once it has noticed the end of the connection.
            try await eventually("the server has noticed") {
                try server.uploads().first?.offset ?? 0 > Self.part
            }
            let offset = try #require(try server.uploads().first?.offset)
            #expect(offset < size, "the upload ended before the kill")
            #expect(offset % Self.part != 0, "the kill met no part in its middle")
            proxy.setRule { _ in .forward }
            try deployment.start(.worker)
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.completed")

            let after = proxy.requests.dropFirst(before).filter { $0.method == "PATCH" }
            #expect(after.first?.request.header("upload-offset") == String(offset))
            #expect(after.reduce(0) { $0 + $1.bodyBytes } == size - offset, "no byte went twice")
            let upload = try #require(try server.uploads().first)
            #expect(try server.uploads().count == 1)
            #expect(upload.isComplete)
            #expect(
                try await deployment.digests(of: [URL(filePath: server.path(of: upload.id))])
                    == deployment.digests(of: [file]))
            let object = (outcome["data"] as? [String: Any])?["object"] as? [String: Any]
            #expect(object?["location"] as? String == server.url(port: proxy.port) + upload.id)
        }
        proxy.stop()
    }

    @Test func partsGoUpAtOnceAndAreConcatenated() async throws {
        let server = try await TusServer.start()
        let destination = "intake: {driver: tus, url: '\(server.url)', partSize: 8MiB, concatenation: true}"
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.worker, ["--parts", "3"])
            let file = try deployment.makeFile("large.bin", bytes: 5 * Self.part + 1)
            _ = try await deployment.enqueue(["--to", "intake:", "--wait", file.path])
            let uploads = try server.uploads()
            #expect(uploads.map(\.isComplete) == [true])
            #expect(uploads.first?.metadata["relativePath"] == "large.bin")
            #expect(
                try await deployment.digests(of: uploads.map { URL(filePath: server.path(of: $0.id)) })
                    == deployment.digests(of: [file]))
        }
    }

    @Test func aCancelledUploadIsRemovedAndAnExpiredOneIsMadeAnew() async throws {
        let server = try await TusServer.start()
        let proxy = try HTTPFaultProxy(to: server.port)
        let destination = "intake: {driver: tus, url: '\(server.url(port: proxy.port))', partSize: 8MiB}"
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            proxy.setRule { $0.method == "PATCH" ? .throttle(bytesPerSecond: 2 << 20) : .forward }
            let file = try deployment.makeFile("large.bin", bytes: 4 * Self.part)
            let cancelled = try await deployment.enqueue(["--to", "intake:cancelled", file.path])
            try await eventually("a part is on its way") { !self.ranges(proxy).isEmpty }
            try await deployment.control("cancel", try #require(cancelled.first))
            let outcome = try await deployment.waitForOutcome(of: try #require(cancelled.first))
            #expect(outcome["type"] as? String == "upload.cancelled")
            #expect(try server.uploads().isEmpty)

            let expired = try await deployment.enqueue(["--to", "intake:expired", file.path])
            try await eventually("the first part is there") {
                try server.uploads().first?.offset ?? 0 >= Self.part
            }
            try server.expire(try #require(try server.uploads().first?.id))
            proxy.setRule { _ in .forward }
            let second = try await deployment.waitForOutcome(of: try #require(expired.first))
            #expect(second["type"] as? String == "upload.completed")
            let upload = try #require(try server.uploads().last)
            #expect(upload.isComplete)
            #expect(
                try await deployment.digests(of: [URL(filePath: server.path(of: upload.id))])
                    == deployment.digests(of: [file]))
        }
        proxy.stop()
    }
}

import Foundation
import Testing
import UploadTesting

/// The programs with foreign WebDAV servers.
@Suite(.serialized, .timeLimit(.minutes(40))) struct WebDAVTests {
    @Test(arguments: [WebDAVServer.Kind.nginx, .rclone, .wsgidav, .apache])
    func afterAKillInAPutAnotherWorkerSendsItAgainAndNothingElseIsLeft(kind: WebDAVServer.Kind) async throws {
        let server = try await WebDAVServer.start(kind)
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        let destination = "cloud: {driver: webdav, url: '\(server.url(port: proxy.port))'}"
        try await Deployment.with(destinations: [destination]) { deployment in
            let file = try deployment.makeFile("film.mp4", bytes: 20 << 20)
            let takeover = Takeover(deployment: deployment, proxy: proxy)
            _ = try await takeover.run(
                file, to: "cloud:2026/film.mp4",
                // The proxy throttles instead of stalling: otherwise the dead worker's kernel would never finish sending, and
                // rclone would keep the file locked.
                rule: { $0.method == "PUT" ? .throttle(bytesPerSecond: 4 << 20) : .forward },
                killWhen: "a part of the file has passed"
            ) { $0.contains { $0.method == "PUT" && $0.bodyBytes >= 5 << 20 } }
            try takeover.expect(server.stored("2026/film.mp4"), like: file)
            // Apache removes its temporary copy once it has noticed the end of the connection.
            try await eventually("nothing else is left") { server.names(in: "2026") == ["film.mp4"] }
        }
    }

    @Test(arguments: [WebDAVServer.Kind.wsgidav, .apache])
    func whatWasMovedBeforeTheKillIsNotSentAgain(kind: WebDAVServer.Kind) async throws {
        let server = try await WebDAVServer.start(kind)
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        let destination = "cloud: {driver: webdav, url: '\(server.url(port: proxy.port))'}"
        try await Deployment.with(destinations: [destination]) { deployment in
            let file = try deployment.makeFile("film.mp4", bytes: 3 << 20)
            let takeover = Takeover(deployment: deployment, proxy: proxy)
            let (_, after) = try await takeover.run(
                file, to: "cloud:film.mp4", rule: { $0.method == "MOVE" ? .stallAnswer : .forward },
                killWhen: "it is in its place"
            ) { $0.contains { $0.method == "MOVE" && $0.serverStatus == 201 } }
            try takeover.expect(server.stored("film.mp4"), like: file)
            #expect(!after.contains { ["PUT", "MOVE"].contains($0.method) })
            #expect(server.names(in: "") == ["film.mp4"])
        }
    }

    @Test func aCancelledUploadLeavesNothing() async throws {
        let server = try await WebDAVServer.start(.apache)
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        let destination = "cloud: {driver: webdav, url: '\(server.url(port: proxy.port))'}"
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            proxy.setRule { $0.method == "PUT" ? .throttle(bytesPerSecond: 1 << 20) : .forward }
            let file = try deployment.makeFile("film.mp4", bytes: 40 << 20)
            let ids = try await deployment.enqueue(["--to", "cloud:film.mp4", file.path])
            try await eventually("it is on its way") { proxy.requests.contains { $0.bodyBytes > 1 << 20 } }
            try await deployment.control("cancel", try #require(ids.first))
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.cancelled")
            // Apache removes its temporary copy once it has noticed the end of the connection.
            try await eventually("nothing is left") { server.names(in: "").isEmpty }
        }
    }
}

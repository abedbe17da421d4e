import Foundation
import Testing
import UploadTesting
import Uploads

/// Jobs whose source lies at a destination: downloads, and copies from one store to another.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DownloadTests {
    private static func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] {
        DestinationConformance.bytes(count, seed: seed)
    }

    @Test func objectsAreCarriedFromWhereverTheyLie() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let web = try await NginxServer()
        let shelf = try TemporaryDirectory("shelf")
        let lines = [
            bucket.destination(name: "store", more: ", source: true"),
            "shelf: {driver: directory, path: \(shelf.path), source: true}",
            "web: {driver: http, url: '\(web.url)'}",
        ]
        let configuration = ["sourceURLs: ['\(web.url)pub/']"]
        try await Deployment.with(destinations: lines, configuration: configuration) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let large = Self.bytes(20 << 20, 1)
            _ = try await bucket.observer.put(bucket.name, "in/large ü.bin", large)
            try shelf.write("small", to: "small.txt")
            let page = try deployment.makeFile("page.html", bytes: 5000)
            _ = try await deployment.enqueue(["--to", "web:pub/page.html", page.path])
            try await deployment.waitForOutcomes(1)

            var ids = try await deployment.enqueue(["--from", "store", "in/large ü.bin", "--to", "local:down/"])
            ids += try await deployment.enqueue(["--from", "shelf", "small.txt", "--to", "store:up/small.txt"])
            ids += try await deployment.enqueue(["\(web.url)pub/page.html", "--to", "store:"])
            ids += try await deployment.enqueue(["data:text/plain;base64,aGVsbG8=", "--to", "local:hello.txt"])
            ids += try await deployment.enqueue(["--from", "store", "in/empty", "--to", "file://\(shelf.path)/never"])
            var outcomes: [String: [String: Any]] = [:]
            for id in ids { outcomes[id] = try await deployment.waitForOutcome(of: id) }
            for id in ids.dropLast() { #expect(outcomes[id]?["type"] as? String == "upload.completed", "\(id)") }
            #expect(try Data(contentsOf: deployment.uploaded.appending(path: "down/large ü.bin")) == Data(large))
            #expect(try Data(contentsOf: deployment.uploaded.appending(path: "hello.txt")) == Data("hello".utf8))
            #expect(try await bucket.observer.get(bucket.name, "up/small.txt") == Array("small".utf8))
            #expect(try await bucket.observer.get(bucket.name, "page.html") == Array(Data(contentsOf: page)))
            // The outcome contains the properties of the source object.
            let told = outcomes[ids[0]]?["data"] as? [String: Any]
            let job = try #require(told?["job"] as? [String: Any])
            #expect(job["size"] as? Int == large.count)

            let missing = try #require(outcomes[ids[4]]?["data"] as? [String: Any])
            let error = try #require(missing["error"] as? [String: Any])
            #expect(error["code"] as? String == "invalidFile")
            #expect((error["message"] as? String)?.contains("there is no object store:in/empty") == true, "\(error)")
            #expect(!FileManager.default.fileExists(atPath: shelf.path("never")))
        }
    }

    @Test func aJobReadsOnlyWhatTheConfigurationAllows() async throws {
        let web = try await NginxServer()
        try await Deployment.with(configuration: ["sourceURLs: ['\(web.url)pub/']"]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("secret.bin", bytes: 10)
            _ = try await deployment.enqueue(["--to", "local:", file.path])
            try await deployment.waitForOutcomes(1)
            for (arguments, words) in [
                (["--from", "local", "secret.bin"], "add 'source: true' to it"),
                (["\(web.url)other/secret.bin?token=topsecret"], "sourceURLs"),
                (["\(web.url)pub/%2e%2e/secret.bin"], "sourceURLs"),
            ] {
                let ids = try await deployment.enqueue(arguments + ["--to", "local:stolen"])
                let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
                #expect(outcome["type"] as? String == "upload.failed")
                let data = try #require(outcome["data"] as? [String: Any])
                let error = try #require(data["error"] as? [String: Any])
                #expect(error["code"] as? String == "accessDenied", "\(error)")
                #expect((error["message"] as? String)?.contains(words) == true, "\(error)")
                #expect(data["attempts"] as? Int == 1)
                #expect(!"\(outcome)".contains("topsecret"))
            }
            #expect(!FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "stolen").path))
        }
    }

    /// The next worker resumes with the same version of the object as the first one; bytes of two versions are never mixed.
    @Test func anotherWorkerGoesOnWithADownloadAndNoticesWhenTheObjectHasChanged() async throws {
        let shelf = try TemporaryDirectory("shelf")
        let slow = try TemporaryDirectory("slow")
        let lines = [
            "shelf: {driver: directory, path: \(shelf.path), source: true}",
            "slow: {driver: directory, path: \(slow.path), limits: {bytesPerSecond: 4MiB, parts: 1}}",
        ]
        try await Deployment.with(destinations: lines) { deployment in
            try deployment.start(.notifier)
            let first = try deployment.start(.worker)
            let bytes = Self.bytes(32 << 20, 7)
            for name in ["kept.bin", "changed.bin"] { try Data(bytes).write(to: shelf.file(name)) }
            let ids = try await deployment.enqueue(["--from", "shelf", "kept.bin", "changed.bin", "--to", "slow:"])
            try #require(ids.count == 2)
            let (kept, changed) = (ids[0], ids[1])
            try await eventually("both have begun, in sessions") {
                try slow.names().count { $0.hasSuffix(".parts") } == 2
            }
            first.signal(SIGKILL)
            #expect(await first.wait() == 128 + SIGKILL)
            #expect(!FileManager.default.fileExists(atPath: slow.path("kept.bin")))
            try Data(Self.bytes(32 << 20, 8)).write(to: shelf.file("changed.bin"))
            try deployment.start(.worker)
            let whole = try await deployment.waitForOutcome(of: kept)
            #expect(whole["type"] as? String == "upload.completed")
            #expect(try Data(contentsOf: slow.file("kept.bin")) == Data(bytes))
            let refused = try await deployment.waitForOutcome(of: changed)
            #expect(refused["type"] as? String == "upload.failed")
            let error = (refused["data"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "sourceChanged", "\(error ?? [:])")
            #expect(try slow.names() == ["kept.bin"])

            // A new round carries the present version.
            _ = try await deployment.control("run", "--again", changed)
            try await eventually("the job ran again") {
                FileManager.default.fileExists(atPath: slow.path("changed.bin"))
            }
            #expect(try Data(contentsOf: slow.file("changed.bin")) == Data(Self.bytes(32 << 20, 8)))
        }
    }
}

import Foundation
import Testing
import UploadTesting

/// `enqueue-upload --changed` against a bucket and a directory.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ChangedTests {
    private func write(_ deployment: Deployment, _ name: String, _ text: String, age: TimeInterval = 1000) throws {
        let file = deployment.directory.file("site/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }

    /// The keys that a dry run would enqueue, and its last words.
    private func differing(_ deployment: Deployment, _ arguments: [String]) async throws -> (Set<String>, String) {
        let program = try await deployment.run(
            .enqueue, ["--dry-run", "-o", "ndjson", deployment.directory.path("site")] + arguments)
        #expect(await program.wait() == 0, "\(program.errorText)")
        let keys = try program.outputText.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["destination"] as? String)
        }
        return (Set(keys), program.errorText)
    }

    @Test func onlyWhatDiffersIsEnqueued() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        // Large files go up in parts, so that their ETags are no digests.
        let line = bucket.destination(name: "store", more: ", multipartThreshold: 5MiB, partSize: 8MiB")
        try await Deployment.with(destinations: [line]) { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            let large = String(repeating: "x", count: 6 << 20)
            for name in ["a", "b", "deep/c ü", "late"] { try write(deployment, name, "12345") }
            for name in ["large", "larger"] { try write(deployment, name, large) }
            for to in ["store:www/", "local:www/"] {
                let first = try await deployment.enqueue([deployment.directory.path("site"), "--to", to, "--changed"])
                #expect(first.count == 6)
                for id in first { _ = try await deployment.waitForOutcome(of: id) }
                let (keys, words) = try await differing(deployment, ["--to", to, "--changed"])
                #expect(keys.isEmpty)
                #expect(words.contains("6 files are there already"), "\(words)")
                #expect(try await differing(deployment, ["--to", to, "--changed", "digest"]).0.isEmpty)
                #expect(
                    try await deployment.enqueue([deployment.directory.path("site"), "--to", to, "--changed"]) == [])
            }

            // The file changes after its job was enqueued and before it is uploaded: the object is newer than the change.
            worker.signal(SIGSTOP)
            try write(deployment, "late", "54321", age: 0)
            let late = try await deployment.enqueue(
                [deployment.directory.path("site"), "--to", "store:www/", "--changed"])
            #expect(late.count == 1)
            try write(deployment, "late", "99999", age: 0)
            worker.signal(SIGCONT)
            _ = try await deployment.waitForOutcome(of: try #require(late.first))

            try write(deployment, "b", "54321", age: 0)
            try write(deployment, "deep/c ü", "12345", age: 0)
            try write(deployment, "larger", large.dropLast() + "y", age: 0)
            try write(deployment, "new", "1")
            try write(deployment, "a", "123456")
            for to in ["store:www/", "local:www/"] {
                let (found, words) = try await differing(deployment, ["--to", to, "--changed=size,mtime"])
                #expect(found == Set(["a", "b", "deep/c ü", "larger", "new", "late"].map { to + $0 }), "\(words)")
            }
            for to in ["store:www/", "local:www/"] {
                let found = try await differing(deployment, ["--to", to, "--changed", "digest"]).0
                #expect(found == Set(["a", "b", "larger", "new", "late"].map { to + $0 }))
            }
            let changed = try await deployment.enqueue(
                ["--changed", deployment.directory.path("site"), "--to", "store:www/"])
            #expect(changed.count == 6)
            for id in changed { _ = try await deployment.waitForOutcome(of: id) }
            #expect(try await bucket.observer.get(bucket.name, "www/late") == Array("99999".utf8))
            #expect(try await differing(deployment, ["--to", "store:www/", "--changed"]).0.isEmpty)
        }
    }

    @Test func whatCannotBeListedIsRefusedAndNothingIsEnqueued() async throws {
        let web = try await NginxServer()
        let line = "web: {driver: http, url: '\(web.url)'}"
        let gone = "gone: {driver: s3, endpoint: 'http://127.0.0.1:1', bucket: b, accessKeyId: a, secretAccessKey: b}"
        try await Deployment.with(destinations: [line, gone]) { deployment in
            try write(deployment, "a", "1")
            for (to, test, code, words) in [
                ("web:", "--changed", 64, "cannot be listed"), ("local:", "--changed=time", 64, "size,mtime or digest"),
                ("gone:", "--changed", 69, "nothing was enqueued"),
                ("https://127.0.0.1/x/", "--changed", 64, "cannot be listed"),
            ] as [(String, String, Int32, String)] {
                let program = try await deployment.run(
                    .enqueue, [test, deployment.directory.path("site"), "--to", to])
                #expect(await program.wait() == code, "\(to) \(program.errorText)")
                #expect(program.errorText.contains(words), "\(program.errorText)")
                #expect(program.outputText.isEmpty)
            }
        }
    }
}

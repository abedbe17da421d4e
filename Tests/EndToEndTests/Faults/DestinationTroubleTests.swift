import Foundation
import Testing
import UploadTesting

/// A destination in trouble: its jobs wait, none of them uses up its only attempt, and all complete when the trouble ends.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DestinationTroubleTests {
    private static let count = 100

    /// Enqueues jobs with one attempt during a trouble, waits until all of them wait and the circuit has opened several times, ends the
    /// trouble, and expects all of them to complete.
    private func ride(
        _ deployment: Deployment, to destination: String, _ programs: Programs, told: Int, saying words: String...,
        end: () throws -> Void
    ) async throws {
        for number in 0..<Self.count { _ = try deployment.makeFile("\(told)/\(number)", bytes: 2000) }
        let folder = deployment.path.appending(path: "files/\(told)")
        // The log has not a line for each.
        let openings = { try await Web.sum(of: "upload_circuit_openings_total", shownBy: programs.worker) }
        let before = try await openings()
        let ids = try await deployment.enqueue(["--to", destination, "--max-attempts", "1", folder.path])
        #expect(ids.count == Self.count)
        try await eventually("every job waits, and the circuit has opened three times") {
            guard try deployment.hasTable("jobs") else { return false }
            let waiting = try deployment.queryLedger("SELECT count(*) FROM jobs WHERE status = 'waiting'").first
            guard Int(waiting ?? "") == Self.count else { return false }
            return try await openings() >= before + 3
        }
        let first = try await deployment.control("job", try #require(ids.first), "--api", programs.api)
        for word in words { #expect(first.outputText.contains(word), "'\(word)' in: \(first.outputText)") }
        try end()
        let outcomes = try await deployment.waitForOutcomes(told + Self.count)
        #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
        let attempts = outcomes.compactMap { ($0["data"] as? [String: Any])?["attempts"] as? Int }
        #expect(attempts.allSatisfy { $0 == 0 })
    }

    private struct Programs {
        let worker: RunningProgram
        let api: String
    }

    private func start(
        _ deployment: Deployment, under wrapper: [String] = [], mayReadAll: Bool = true
    ) throws -> Programs {
        let notifier = try deployment.start(.notifier)
        return Programs(
            worker: try deployment.start(.worker, under: wrapper, mayReadAll: mayReadAll),
            api: "http://127.0.0.1:\(try #require(notifier.port))")
    }

    @Test func aServerThatTakesNothingIsWaitedFor() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            let programs = try start(deployment)
            func refuse(_ status: Int, _ code: String, to methods: Set<String>? = nil) {
                bucket.proxy.forget()
                bucket.proxy.setRule { request in
                    guard methods?.contains(request.method) ?? true else { return .forward }
                    return .answer(status: status, body: "<Error><Code>\(code)</Code></Error>")
                }
            }
            var told = 0
            for (status, code, methods, word) in [
                (507, "QuotaExceeded", ["PUT"] as Set, "space"), (403, "InvalidAccessKeyId", nil, "access key"),
                (404, "NoSuchBucket", nil, "bucket"),
            ] {
                refuse(status, code, to: methods)
                try await ride(deployment, to: "bucket:\(code)/", programs, told: told, saying: word) {
                    // One request for each slot, and a probe and a write for each trial.
                    #expect(bucket.proxy.requests.count < Self.count)
                    bucket.proxy.setRule { _ in .forward }
                }
                told += Self.count
            }
            #expect(try await bucket.observer.listKeys(bucket.name).count == told)
        }
    }

    @Test func aDirectoryThatIsGoneOrClosedIsWaitedFor() async throws {
        try await Deployment.with { deployment in
            let away = deployment.path.appending(path: "away")
            try FileManager.default.moveItem(at: deployment.uploaded, to: away)
            let programs = try start(deployment, mayReadAll: false)
            try await ride(deployment, to: "local:gone/", programs, told: 0, saying: "does not exist") {
                try FileManager.default.moveItem(at: away, to: deployment.uploaded)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: deployment.uploaded.path)
            try await ride(
                deployment, to: "local:closed/", programs, told: Self.count, saying: "give the worker's user"
            ) {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: deployment.uploaded.path)
            }
        }
    }

    @Test func aFullDirectoryIsWaitedFor() async throws {
        try await Deployment.with { deployment in
            let disk = try await SmallDisk.mount(at: deployment.uploaded, bytes: 4 << 20)
            try disk.fill("other", bytes: 4 << 20)
            let programs = try start(deployment, under: disk.wrapper)
            try await ride(deployment, to: "local:", programs, told: 0, saying: "no space") { try disk.remove("other") }
            #expect(try disk.names().count == Self.count)
            try await disk.unmount()
        }
    }

    /// Without `requireMount` and `marker` the directory below the mount point would take the files.
    @Test(arguments: ["requireMount: true", "marker: .the-disk"])
    func aDirectoryWhoseDiskIsNotMountedIsWaitedFor(setting: String) async throws {
        let place = try TemporaryDirectory()
        let root = place.url.appending(path: "mnt")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try await Deployment.with(
            destinations: ["disk: {driver: directory, path: \(root.path), \(setting)}"]
        ) { deployment in
            let disk = try await SmallDisk.mount(at: root, bytes: 4 << 20)
            if setting.contains("marker") { try disk.fill(".the-disk", bytes: 1) }
            // A worker that does not see the disk, and a worker that does.
            let programs = try start(deployment)
            try await ride(deployment, to: "disk:", programs, told: 0, saying: "mount") {
                programs.worker.signal(SIGTERM)
                try deployment.start(.worker, under: disk.wrapper)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == [])
            try await disk.unmount()
        }
    }
}

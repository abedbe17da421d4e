import Foundation
import Synchronization
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Producers hand files in through a staging area in a bucket, while they, the other programs and the store are killed at random: two
/// with six files each, and in the soak (`LONGSHORE_SOAK_JOBS`) ten with 2,000 in all, of up to 200 MB. Half of the files are carried by the
/// workers, the other half is copied by the store. `LONGSHORE_SOAK_SEED` repeats the choices.
@Suite(.serialized, .timeLimit(.minutes(24 * 60))) struct ManyProducersTests {
    private static let isSoak = ProcessInfo.processInfo.environment["LONGSHORE_SOAK_JOBS"] != nil
    private static let producers = isSoak ? 10 : 2
    private static let filesOfEach = isSoak ? 200 : 6
    private static let sizes =
        [0, 1, 20_000, 32_769, 500_000, 9 << 20, 17 << 20, 70_000_000] + (isSoak ? [200_000_000] : [])
    /// How often each size is chosen beside the others: many files are small.
    private static let weights = isSoak ? [8, 8, 8, 8, 8, 4, 4, 1, 1] : [1, 1, 1, 1, 1, 1, 1, 1]
    private static let options = ["--staging", "stage:copies/"]
    /// The runs of one command at most. Each may meet a store that has just been killed.
    private static let runsMaximum = 50

    /// What was killed, and which files were accepted.
    private final class Tally: Sendable {
        struct Counts: Sendable {
            /// By key: which size.
            var accepted: [String: Int] = [:]
            var killed: [String: Int] = [:]
            var active = ManyProducersTests.producers
        }

        private let counts = Mutex(Counts())

        var now: Counts { counts.withLock { $0 } }
        func change(_ body: @Sendable (inout Counts) -> Void) { counts.withLock { body(&$0) } }
        func noteKill(of what: String) { counts.withLock { $0.killed[what, default: 0] += 1 } }
    }

    @Test func whateverIsKilledEveryAcceptedFileArrivesAndNothingIsLeftAfterTheSweep() async throws {
        let seed =
            ProcessInfo.processInfo.environment["LONGSHORE_SOAK_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64(UInt32.max))
        print("many producers: seed \(seed)")
        let server = try await OpenStackSwiftServer.start()
        let (stage, there) = (try await S3Bucket.make(on: server), try await S3Bucket.make(on: server))
        defer { for bucket in [stage, there] { bucket.proxy.stop() } }
        for bucket in [stage, there] {
            bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 48 << 20) }
        }
        // The same bucket at the endpoint of the staging area, and at another one.
        let destinations = [
            stage.destination(name: "stage"), stage.destination(name: "near", bucket: there.name),
            there.destination(name: "there"),
        ]
        try await Deployment.with(destinations: destinations) { deployment in
            let tally = Tally()
            let files = try Self.sizes.map { try deployment.makeFile("size-\($0)", bytes: $0) }
            let digests = try await deployment.digests(of: files)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for producer in 0..<Self.producers {
                    // Each has files of its own, so that it goes on with its own copies.
                    let folder = deployment.path.appending(path: "files/\(producer)")
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    for file in files {
                        try FileManager.default.copyItem(at: file, to: folder.appending(path: file.lastPathComponent))
                    }
                    group.addTask {
                        defer { tally.change { $0.active -= 1 } }
                        var random = SeededGenerator(seed: seed &+ UInt64(producer))
                        for number in 0..<Self.filesOfEach {
                            let size = Self.randomSize(using: &random)
                            let key = "\(producer)-\(number)-\(size)"
                            let file = folder.appending(path: "size-\(Self.sizes[size])")
                            try await Self.handIn(file, as: key, deployment, stage, tally, &random)
                            tally.change { $0.accepted[key] = size }
                        }
                    }
                }
                group.addTask { try await Self.disturb(deployment, server, [stage, there], tally, seed: seed) }
                try await group.waitForAll()
            }
            var runAgain = 0
            try await eventually("every job has completed", within: .seconds(1200)) {
                // Some jobs meet more kills than they have attempts: an operator runs them again, and their copies are there still.
                let failed = try deployment.queryLedger("SELECT id FROM jobs WHERE status = 'failed'")
                if !failed.isEmpty {
                    try await deployment.control(["run", "--again"] + failed)
                    runAgain += failed.count
                }
                return try deployment.queryLedger("SELECT COUNT(*) FROM jobs WHERE status != 'completed'") == ["0"]
            }
            #expect(runAgain <= Self.producers * Self.filesOfEach / 100, "\(runAgain) jobs had to be run again")
            let found = tally.now
            // A store that is killed between an object and its row in the listing never lists it; each is read below.
            let keys = Set(try await there.observer.listKeys(there.name))
            #expect(
                keys.isSubset(of: found.accepted.keys), "a killed producer's file was handed in again under its key")
            for (key, size) in found.accepted {
                #expect(try await there.observer.sha256(there.name, key) == digests[size], "\(key)")
            }
            try await expectNothingLeftAfterASweep(deployment, stage)
            let copied = try deployment.queryLedger(
                "SELECT count(*) FROM events WHERE plain(body) LIKE '%\"isServerSideCopy\":true%'")
            #expect(!Self.isSoak || Int(copied.first ?? "") ?? 0 > 0, "the store has copied nothing")
            print(
                "many producers: \(found.accepted.count) files, \(copied.first ?? "") copied by the store, \(runAgain) run again, killed: \(found.killed)"
            )
        }
        try await server.stop()
    }

    /// - Returns: an index.
    private static func randomSize(using random: inout SeededGenerator) -> Int {
        let choices = weights.indices.flatMap { Array(repeating: $0, count: weights[$0]) }
        return choices.randomElement(using: &random) ?? 0
    }

    /// Runs `enqueue-upload`, which may be killed, until it has accepted the file.
    private static func handIn(
        _ file: URL, as key: String, _ deployment: Deployment, _ stage: S3Bucket, _ tally: Tally,
        _ random: inout SeededGenerator
    ) async throws {
        let destination = ["near", "there"].randomElement(using: &random) ?? "there"
        for _ in 0..<runsMaximum {
            let program = try deployment.start(.enqueue, options + ["--to", "\(destination):\(key)", file.path])
            if Int.random(in: 0..<3, using: &random) == 0 {
                let requests = stage.proxy.requests.count + Int.random(in: 1...12, using: &random)
                try await eventually("it is at work, or done") {
                    !program.isRunning || stage.proxy.requests.count >= requests
                }
                if program.isRunning {
                    program.killAndWait()
                    tally.noteKill(of: "producers")
                    continue
                }
            }
            if await program.wait() == 0 { return }
        }
        throw DidNotHappen("\(key) was not accepted")
    }

    /// Kills a worker, the notifier or the store, again and again, until the producers are done.
    private static func disturb(
        _ deployment: Deployment, _ server: OpenStackSwiftServer, _ buckets: [S3Bucket],
        _ tally: Tally, seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed &+ 1000)
        var notifier = try deployment.start(.notifier, options)
        var workers = try (0..<3).map { _ in try deployment.start(.worker, options) }
        func requests() -> Int { buckets.reduce(0) { $0 + $1.proxy.requests.count } }
        while tally.now.active > 0 {
            let next = requests() + Int.random(in: isSoak ? 30...120 : 20...40, using: &random)
            try await eventually("something has gone on") {
                requests() >= next || tally.now.active == 0
            }
            let what: String
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let victim = Int.random(in: workers.indices, using: &random)
                workers[victim].killAndWait()
                workers[victim] = try deployment.start(.worker, options)
                what = "workers"
            case 5..<7:
                notifier.killAndWait()
                notifier = try deployment.start(.notifier, options)
                what = "notifiers"
            case 7..<9:
                try await server.kill()
                try await server.restart()
                what = "stores"
            default:
                for bucket in buckets { bucket.proxy.cut() }
                what = "connections"
            }
            tally.noteKill(of: what)
        }
    }

    private func expectNothingLeftAfterASweep(_ deployment: Deployment, _ stage: S3Bucket) async throws {
        let name = try DestinationName("stage")
        let destination = try S3Destination(
            S3Configuration(endpoint: stage.proxy.url, region: stage.server.region, bucket: stage.name),
            credentials: StaticCredentials(
                AWSCredentials(accessKeyID: stage.server.accessKey, secretAccessKey: stage.server.secretKey)))
        let place = DestinationArea.Place(at: name, prefix: "copies/")
        let area = try #require(
            try await DestinationArea.existing(at: place, of: OnlyDestination(name: name, destination: destination)))
        let later = Date.now + 3600
        for leftover in try await area.leftovers(changedBefore: later) {
            #expect(try await area.discard(leftover))
        }
        #expect(try await stage.observer.listKeys(stage.name) == ["copies/longshore-area"])
        // For the same reason it may list an upload that is gone.
        for upload in try await stage.observer.listUploads(stage.name) {
            let failure = await #expect(throws: S3Observer.Failure.self, "\(upload) is left") {
                try await stage.observer.listParts(stage.name, upload.key, upload.uploadId)
            }
            #expect(failure?.code == "NoSuchUpload")
        }
        let spool = deployment.path.appending(path: ".local/state/longshore/spool")
        for folder in ["drafts", "outbox"] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: spool.appending(path: folder).path)
            #expect((names ?? []).isEmpty, "\(folder): \(names ?? [])")
        }
    }
}

private struct OnlyDestination: DestinationProvider {
    let name: DestinationName
    let destination: any Destination

    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        if case .named(name, _) = reference { destination } else { nil }
    }
}

import Foundation
import Logging
import Synchronization
import Testing
import UploadDestinations
import UploadEmbedded
import UploadSources
import UploadTesting
import Uploads

/// Staging areas: the same rules for a directory, and for a place in a directory, in OpenStack Swift and in rclone.
@Suite(.timeLimit(.minutes(10)))
struct StagingTests {
    @Test func `a directory is a staging area`() async throws {
        let scratch = try TemporaryDirectory()
        let area = try await StagingArea.open(at: scratch.path)
        let suite = StagingConformance(
            stage: { try await area.stage(fileAt: $0) }, stageStream: { try await area.stage($0) },
            sources: LocalSources(areas: [area], roots: []), sweepable: area,
            overwrite: { name, bytes in
                // In place: the lock is the file's.
                if let file = FileHandle(forWritingAtPath: scratch.path(name)) {
                    try file.write(contentsOf: bytes)
                    try file.close()
                } else {
                    _ = try scratch.write(bytes, to: name)
                }
            },
            names: { Set(try scratch.names()) }, locks: true)
        try await suite.allRules()
    }

    /// Runs the suite in an area that a destination holds.
    private func check(
        _ destination: any Destination, prefix: String,
        overwrite: @escaping @Sendable (_ key: String, _ bytes: [UInt8]) async throws -> Void,
        keys: @escaping @Sendable () async throws -> Set<String>
    ) async throws {
        let name = try DestinationName("stage")
        let place = DestinationArea.Place(at: name, prefix: prefix)
        let destinations = OneDestination(name: name, destination: destination)
        let scratch = try TemporaryDirectory()
        let spool = try await StagingArea.open(at: scratch.path)
        let logger = Logger(label: "staging") { _ in SwiftLogNoOpLogHandler() }
        #expect(try await DestinationArea.existing(at: place, of: destinations) == nil)
        let stager = DestinationStager(at: place, of: destinations, spool: spool, logger: logger) {
            Issue.record("the area is waited for: \($0)")
        }
        let id = try await stager.area().id
        let again = try #require(try await DestinationArea.existing(at: place, of: destinations))
        #expect(again.id == id)
        let suite = StagingConformance(
            stage: { try await stager.stage(fileAt: $0) },
            stageStream: { try await stager.stage($0, as: nil, sha256: false) },
            sources: DestinationAreaSources(
                beside: LocalSources(areas: [], roots: []), in: place, of: destinations),
            sweepable: again, overwrite: { try await overwrite(prefix + $0, $1) },
            begin: { name in
                var job = UploadJob(
                    source: .inline(Data()), destination: .named(place.destination, key: prefix + name), size: 20 << 20)
                job.id = try #require(JobID(name))
                await (try destination.open(job, resuming: nil)).close()
            },
            names: { Set(try await keys().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }) })
        do {
            try await suite.allRules()
        } catch {
            await stager.close()
            throw error
        }
        await stager.close()
        #expect(try scratch.names() == [".longshore-area"], "something is left in the spool")
    }

    @Test(arguments: [true, false]) func `a place in a directory destination is a staging area`(
        usesExtendedAttributes: Bool
    ) async throws {
        let scratch = try TemporaryDirectory()
        let configuration = DirectoryConfiguration(
            path: scratch.path, usesExtendedAttributes: usesExtendedAttributes)
        try await check(
            DirectoryDestination(configuration), prefix: "area/", overwrite: { _ = try scratch.write($1, to: $0) },
            keys: { Set(try FileManager.default.subpathsOfDirectory(atPath: scratch.path).filter { $0 != "area" }) })
    }

    private func check(in endpoint: S3Endpoint) async throws {
        try await S3Bench.with(endpoint) { bench in
            var configuration = bench.configuration
            configuration.prefix = "below/"
            try await check(
                try bench.destination(configuration), prefix: "copies/",
                overwrite: { _ = try await bench.observer.put(bench.bucket, "below/\($0)", $1) },
                keys: { Set(try await bench.observer.listKeys(bench.bucket).map { String($0.dropFirst(6)) }) })
        }
    }

    @Test func `a place in a bucket of OpenStack Swift is a staging area`() async throws {
        try await check(in: OpenStackSwiftServer.shared().endpoint)
    }

    @Test func `a place in a bucket of rclone is a staging area`() async throws {
        let server = try await RcloneS3Server.start()
        try await check(in: server.endpoint)
    }

    @Test func `a worker whose destination is wrong or refuses lets the jobs wait`() async throws {
        let scratch = try TemporaryDirectory()
        let place = DestinationArea.Place(at: try DestinationName("stage"), prefix: "")
        let local = LocalSources(areas: [], roots: [])
        let job = UploadJob(
            source: .staged(area: UUID().uuidString.lowercased(), name: JobID().rawValue),
            destination: .url("file:///target"), size: 1)
        func isUnknown(_ destination: any Destination, named name: String = "stage") async throws -> Bool {
            let destinations = OneDestination(name: try DestinationName(name), destination: destination)
            let sources = DestinationAreaSources(beside: local, in: place, of: destinations)
            if case .unknownArea = try await sources.claim(job) { return true }
            return false
        }
        let directory = DirectoryDestination(DirectoryConfiguration(path: scratch.path))
        #expect(try await isUnknown(directory, named: "other"))
        #expect(try await isUnknown(WriteOnlyDestination()))
        #expect(try await isUnknown(directory), "there is no area yet")
        _ = try scratch.write("no id", to: "longshore-area")
        #expect(try await isUnknown(directory))
        let rclone = try await RcloneS3Server.start()
        try await S3Bench.with(rclone.endpoint) { bench in
            var keys = rclone.endpoint
            keys.secretKey += "x"
            let refused = try bench.destination(credentials: StaticCredentials(keys))
            let waits = try await isUnknown(refused)
            #expect(waits)
        }
    }

    @Test func `a destination that cannot hold a staging area is refused with a remedy`() async throws {
        let name = try DestinationName("stage")
        let place = DestinationArea.Place(at: name, prefix: "")
        let none = OneDestination(name: try DestinationName("other"), destination: WriteOnlyDestination())
        let missing = await #expect(throws: UploadError.self) {
            try await DestinationArea.existing(at: place, of: none)
        }
        #expect(missing?.message.contains("no destination 'stage' is configured here") == true)
        let writeOnly = OneDestination(name: name, destination: WriteOnlyDestination())
        let refused = await #expect(throws: UploadError.self) {
            try await DestinationArea.existing(at: place, of: writeOnly)
        }
        #expect(refused?.code == .misconfigured)
        #expect(refused?.message.contains("use one of s3 and directory") == true)
    }
}

private struct OneDestination: DestinationProvider {
    let name: DestinationName
    let destination: any Destination

    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        if case .named(name, _) = reference { destination } else { nil }
    }
}

private struct WriteOnlyDestination: Destination {
    let driver = "writeOnly"
    let limits = TransferLimits()

    func canYield(_ job: UploadJob) -> Bool { false }

    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer { .unknowable }

    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession {
        throw UploadError(.rejected, "nothing is written here")
    }

    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}

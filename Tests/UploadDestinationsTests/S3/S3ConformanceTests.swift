import Foundation
import Testing
import UploadDestinations
import UploadTesting
import Uploads

/// The rules for every destination, against OpenStack Swift, which checks everything that it gets.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3ConformanceTests {
    private func run(_ body: (DestinationConformance) async throws -> Void) async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var conformance = bench.conformance()
            conformance.forgetsCompletedSessions = false
            try await body(conformance)
        }
    }

    @Test func `files of edge sizes arrive`() async throws { try await run { try await $0.edgeSizesArrive() } }

    @Test func `odd names arrive`() async throws { try await run { try await $0.oddNamesArrive() } }

    @Test func `the last of two wins`() async throws { try await run { try await $0.theLastOfTwoWins() } }

    @Test func `many at once arrive`() async throws { try await run { try await $0.manyAtOnceArrive() } }

    @Test func `a source that changed is refused`() async throws {
        try await run { try await $0.aSourceThatChangedIsRefused() }
    }

    @Test func `another worker goes on`() async throws { try await run { try await $0.anotherWorkerGoesOn() } }

    @Test func `objects are read back`() async throws {
        try await run { conformance in
            try await conformance.objectsAreReadBack()
            try await conformance.readingStopsWhenItIsToldTo()
        }
    }

    @Test func `a discarded upload leaves nothing`() async throws {
        try await run { try await $0.aDiscardedUploadLeavesNothing() }
    }

    @Test func `probes tell whose object it is`() async throws {
        try await run { try await $0.probesTellWhoseObjectItIs() }
    }

    @Test func `what lies beside an unfinished upload is told`() async throws {
        try await run { try await $0.whatLiesBesideASessionIsTold() }
    }

    @Test func `conditions hold, also those that the server does not have`() async throws {
        try await run { try await $0.conditionsHold() }
    }

    @Test(arguments: S3Configuration.Checksum.allCases, [false, true])
    func `every checksum arrives in a header, with signed bodies and without`(
        checksum: S3Configuration.Checksum, signsPayload: Bool
    ) async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var configuration = bench.configuration
            configuration.checksum = checksum
            configuration.signsPayload = signsPayload
            let conformance = bench.conformance(configuration)
            for size in [100, S3Bench.partBytes * 2 + 1] {
                let bytes = DestinationConformance.bytes(size)
                try await conformance.carry(conformance.job(bytes, key: "\(size)"))
                #expect(try await bench.observer.get(bench.bucket, "\(size)") == bytes)
            }
        }
    }

    @Test func `keys of every kind arrive, 1024 bytes long ones too`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            let conformance = bench.conformance()
            let keys = [
                "a//b", "end/", "plus+plus", "50%25", "ünïcode/日本語.txt", "tab\there", "a=b&c", "~tilde", "(paren)*!'",
                "😀", String(repeating: "k", count: 1024),
            ]
            for key in keys {
                try await conformance.carry(conformance.job(Array(key.utf8), key: key))
                #expect(try await bench.observer.get(bench.bucket, key) == Array(key.utf8), "\(key.prefix(20))")
            }
            let error = await #expect(throws: UploadError.self) {
                try await conformance.carry(conformance.job([1], key: String(repeating: "k", count: 1025)))
            }
            #expect(error?.code == .rejected)
        }
    }
}

/// The same rules against a server that keeps plain files and checks little.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3PlainFilesConformanceTests {
    private func run(_ body: (DestinationConformance) async throws -> Void) async throws {
        let server = try await RcloneS3Server.start(streamsParts: false)
        try await S3Bench.with(server.endpoint) { try await body($0.conformance()) }
    }

    @Test func `files of edge sizes arrive`() async throws { try await run { try await $0.edgeSizesArrive() } }

    @Test func `odd names arrive`() async throws { try await run { try await $0.oddNamesArrive() } }

    @Test func `the last of two wins`() async throws { try await run { try await $0.theLastOfTwoWins() } }

    @Test func `many at once arrive`() async throws {
        try await run { try await $0.manyAtOnceArrive(inANewDirectory: false) }
    }

    @Test func `another worker goes on`() async throws { try await run { try await $0.anotherWorkerGoesOn() } }

    @Test func `objects are read back`() async throws {
        try await run { conformance in
            try await conformance.objectsAreReadBack()
            try await conformance.readingStopsWhenItIsToldTo()
        }
    }

    @Test func `a discarded upload leaves nothing`() async throws {
        try await run { try await $0.aDiscardedUploadLeavesNothing() }
    }

    @Test func `probes tell whose object it is`() async throws {
        try await run { try await $0.probesTellWhoseObjectItIs() }
    }
}

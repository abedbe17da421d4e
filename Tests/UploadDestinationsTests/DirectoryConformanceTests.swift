import Foundation
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10)))
struct DirectoryConformanceTests {
    private let scratch: TemporaryDirectory
    private let conformance: DestinationConformance

    init() throws {
        let scratch = try TemporaryDirectory()
        self.scratch = scratch
        let name = try DestinationName("archive")
        conformance = DestinationConformance(
            destination: { DirectoryDestination(DirectoryConfiguration(path: scratch.path, partBytes: 1000)) },
            sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
            stored: { scratch.read($0) }, partBytes: 1000)
    }

    @Test func `files of all edge sizes arrive`() async throws { try await conformance.edgeSizesArrive() }

    @Test func `odd names arrive, and nothing else stays`() async throws {
        try await conformance.oddNamesArrive()
        #expect(try scratch.names().allSatisfy { !$0.contains(".longshore-") })
    }

    @Test func `the last of two wins`() async throws { try await conformance.theLastOfTwoWins() }

    @Test func `many at once arrive`() async throws { try await conformance.manyAtOnceArrive() }

    @Test func `a source that changed is refused`() async throws {
        try await conformance.aSourceThatChangedIsRefused()
    }

    @Test func `another worker goes on where one stopped`() async throws { try await conformance.anotherWorkerGoesOn() }

    @Test func `a discarded upload leaves nothing`() async throws {
        try await conformance.aDiscardedUploadLeavesNothing()
        #expect(try scratch.names() == ["discarded"])
    }

    @Test func `probes tell whose object it is`() async throws { try await conformance.probesTellWhoseObjectItIs() }

    @Test func `what lies beside a session is told, and not overwritten`() async throws {
        try await conformance.whatLiesBesideASessionIsTold()
    }

    @Test func `objects are read back`() async throws {
        try await conformance.objectsAreReadBack()
        try await conformance.readingStopsWhenItIsToldTo()
    }

    @Test func `conditions hold`() async throws { try await conformance.conditionsHold() }

    @Test func `all of it holds without extended attributes`() async throws {
        var conformance = conformance
        let path = scratch.path
        conformance.destination = {
            DirectoryDestination(
                DirectoryConfiguration(path: path, partBytes: 1000, usesExtendedAttributes: false))
        }
        try await conformance.probesTellWhoseObjectItIs()
        try await conformance.anotherWorkerGoesOn()
        try await conformance.conditionsHold()
        try await conformance.whatLiesBesideASessionIsTold()
    }
}

import Foundation
import Glibc
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10)))
struct DirectorySweepTests {
    private let scratch: TemporaryDirectory
    private let destination: DirectoryDestination
    private let conformance: DestinationConformance

    init() throws {
        let scratch = try TemporaryDirectory()
        self.scratch = scratch
        try FileManager.default.createDirectory(atPath: scratch.path("root"), withIntermediateDirectories: true)
        let destination = DirectoryDestination(DirectoryConfiguration(path: scratch.path("root"), partBytes: 1000))
        self.destination = destination
        let name = try DestinationName("archive")
        conformance = DestinationConformance(
            destination: { destination }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(name, key: $0) }, stored: { scratch.read("root/" + $0) }, partBytes: 1000)
    }

    /// Begins an upload and abandons it.
    private func begin(_ key: String) async throws -> (UploadJob, UploadState) {
        let job = try conformance.job(DestinationConformance.bytes(3000), key: key)
        let session = try await destination.open(job, resuming: nil)
        try await conformance.send(1, of: job, to: session)
        await session.close()
        return (job, try #require(session.state))
    }

    private var soon: Date { Date() + 60 }

    @Test func `unfinished uploads are found wherever they lie, with their jobs, and removed one by one`() async throws
    {
        let long = "d/" + String(repeating: "n", count: 250)
        var begun: [JobID: (String, UploadState)] = [:]
        for key in ["top", "d/e/f g", "d/.hidden.longshore", "d/\u{301}mark", long] {
            let (job, state) = try await begin(key)
            begun[job.id] = (key, state)
        }
        try await conformance.carry(conformance.job([1], key: "done"))
        let found = try await destination.unfinished(startedBefore: soon)
        #expect(Set(found.compactMap(\.job)) == Set(begun.keys))
        for upload in found {
            let job = try #require(upload.job)
            let (key, state) = try #require(begun[job])
            #expect(destination.sessionID(of: state) == upload.sessionID)
            if key != long { #expect(Array(upload.key.utf8) == Array(key.utf8)) }
            #expect(upload.key.hasPrefix("d/") == key.hasPrefix("d/"))
            #expect(abs(upload.startedAt.timeIntervalSinceNow) < 60)
        }
        for (index, upload) in found.enumerated() {
            try await destination.discard(upload)
            try await destination.discard(upload)
            #expect(try await destination.unfinished(startedBefore: soon).count == found.count - index - 1)
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("root"))
        #expect(Set(left) == ["done", "d", "d/e"])
    }

    @Test func `what was written to since is not found, and a file that is left alone is`() async throws {
        let (_, state) = try await begin("x")
        #expect(try await destination.unfinished(startedBefore: Date() - 3600).isEmpty)
        let part = try #require(destination.sessionID(of: state))
        // The record was written to last: its age decides.
        try age(part)
        #expect(try await destination.unfinished(startedBefore: Date() - 3600).isEmpty)
        try age(part + "s")
        #expect(try await destination.unfinished(startedBefore: Date() - 3600).count == 1)
        try FileManager.default.removeItem(atPath: scratch.path("root/" + part))
        let found = try await destination.unfinished(startedBefore: Date() - 3600)
        #expect(found.map(\.sessionID) == [part])
        try await destination.discard(found[0])
        #expect(try scratch.names(in: "root").isEmpty)
    }

    private func age(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date() - 7200], ofItemAtPath: scratch.path("root/" + name))
    }

    @Test func `links are not followed, and names that only look alike are left`() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path("outside"), withIntermediateDirectories: true)
        let id = JobID().rawValue
        try scratch.write([1], to: "outside/.x.longshore-\(id).part")
        #expect(symlink(scratch.path("outside"), scratch.path("root/out")) == 0)
        #expect(symlink("..", scratch.path("root/loop")) == 0)
        #expect(symlink("../outside/.x.longshore-\(id).part", scratch.path("root/.y.longshore-\(id).part")) == 0)
        for name in [
            ".x.longshore-job", ".x.longshore-\(id)", "x.longshore-\(id).part", ".longshore-\(id).part",
            ".x.longshore-\(id.uppercased()).part", ".x.longshore-nobody.part",
        ] {
            try scratch.write([1], to: "root/" + name)
        }
        #expect(try await destination.unfinished(startedBefore: soon).isEmpty)
    }

    @Test func `states of other drivers name nothing, and a root that is gone is told`() async throws {
        #expect(destination.sessionID(of: UploadState(driver: "s3", payload: ["file": "x"])) == nil)
        #expect(destination.sessionID(of: UploadState(driver: "directory", payload: [])) == nil)
        try FileManager.default.removeItem(atPath: scratch.path("root"))
        let error = await #expect(throws: UploadError.self) { try await destination.unfinished(startedBefore: soon) }
        #expect(error?.code == .destinationAway)
    }
}

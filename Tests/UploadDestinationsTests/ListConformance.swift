import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

/// The rules for every destination that lists its objects, tested against a real server or directory.
struct ListConformance: Sendable {
    let conformance: DestinationConformance
    /// Stores bytes under a key without the driver.
    let put: @Sendable (_ key: String, _ bytes: [UInt8]) async throws -> Void
    /// Whether the server keeps the marks of jobs.
    var keepsMarks = true
    var oddKeys = ["with space", "a+b", "100%", "Grüße-日本語", "a&b=c", "'quote\"", "d/<e>/f", ".hidden"]

    func allRules() async throws {
        try await objectsOfAllProgramsAreListed()
        try await thePrefixIsABeginning()
        try await unfinishedUploadsAreNotListed()
    }

    private func listed(_ prefix: String) async throws -> [String: ListedObject] {
        let destination = try #require(try conformance.destination() as? any ListableDestination)
        let pages = Mutex<[ListedObject]>([])
        try await destination.list(below: prefix) { page in pages.withLock { $0 += page } }
        let all = pages.withLock { $0 }
        #expect(Set(all.map(\.key)).count == all.count, "an object was listed twice")
        return Dictionary(all.map { ($0.key, $0) }) { first, _ in first }
    }

    func objectsOfAllProgramsAreListed() async throws {
        #expect(try await listed("").isEmpty)
        #expect(try await listed("not/there/").isEmpty)
        let enqueuedAt = Date(timeIntervalSince1970: 1_700_000_000.125)
        for (place, key) in oddKeys.enumerated() {
            let bytes = DestinationConformance.bytes(place, seed: 2)
            try await conformance.carry(conformance.job(bytes, key: "jobs/\(key)", enqueuedAt: enqueuedAt))
        }
        try await put("jobs/theirs", [1, 2, 3])
        let found = try await listed("jobs/")
        #expect(Set(found.keys) == Set((oddKeys + ["theirs"]).map { "jobs/\($0)" }))
        let destination = try #require(try conformance.destination() as? any ListableDestination)
        for (place, key) in oddKeys.enumerated() {
            let object = try #require(found["jobs/\(key)"])
            #expect(object.size == Int64(place))
            #expect(abs(try #require(object.modifiedAt).timeIntervalSinceNow) < 3600, "\(key)")
            switch object.writer {
            case .unlisted:
                let asked = UploadJob(
                    source: .inline(Data()), destination: try conformance.reference(object.key), size: 0)
                #expect(try await destination.find(asked)?.enqueuedAt == enqueuedAt)
            case .unmarked: #expect(!keepsMarks)
            case .job(let time): #expect(keepsMarks && time == enqueuedAt)
            }
        }
        let theirs = try #require(found["jobs/theirs"])
        #expect(theirs.size == 3)
        if case .job = theirs.writer { Issue.record("another program's object has a job") }
        let asked = UploadJob(source: .inline(Data()), destination: try conformance.reference(theirs.key), size: 0)
        #expect(try await destination.find(asked)?.enqueuedAt == nil)
    }

    func thePrefixIsABeginning() async throws {
        for key in ["p/a/x1", "p/ab/x2", "p/abc", "p/b/a/x3", "p/a2/deep/er/x4"] { try await put(key, [1]) }
        #expect(try await Set(listed("p/a").keys) == ["p/a/x1", "p/ab/x2", "p/abc", "p/a2/deep/er/x4"])
        #expect(try await Set(listed("p/ab").keys) == ["p/ab/x2", "p/abc"])
        #expect(try await Set(listed("p/a/").keys) == ["p/a/x1"])
        #expect(try await Set(listed("p/abc").keys) == ["p/abc"])
        #expect(try await Set(listed("p/b/a").keys) == ["p/b/a/x3"])
        #expect(try await listed("p/abcd").isEmpty)
    }

    func unfinishedUploadsAreNotListed() async throws {
        let job = try conformance.job(DestinationConformance.bytes(conformance.partBytes * 2), key: "half/done")
        let session = try await conformance.destination().open(job, resuming: nil)
        if !session.missing.isEmpty { try await conformance.send(1, of: job, to: session) }
        #expect(try await listed("half/").isEmpty)
        await session.close()
        if let state = session.state { try await conformance.destination().discard(state, of: job) }
    }
}

import Foundation
import Testing

@testable import Uploads

/// Batons share their jobs, and what is made of them.
@Suite struct SharedJobTests {
    private static let secret = "https://example.test/a?signature=secret"

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func job() -> UploadJob {
        UploadJob(
            source: .staged(area: "a", name: "b"),
            destination: .named(DestinationName(unchecked: "photos"), key: "a"), size: 7, enqueuedAt: Self.start)
    }

    private func baton() -> Baton {
        var job = job()
        job.source = .inline(Data("bytes".utf8))
        job.size = 5
        return Baton(job: job)
    }

    @Test func `a changed copy leaves the other one as it was`() throws {
        let one = baton()
        let text = try WireJSON.encode(one.redacted)
        var other = one.redacted
        #expect(try WireJSON.encode(other) == text)
        other.job.metadata = ["owner": "jo"]
        other.state = UploadState(driver: "s3", payload: ["upload": "1"])
        #expect(other != one && other.job != one.job && one.state == nil)
        #expect(try WireJSON.encode(other) != text)
        #expect(try WireJSON.decode(Baton.self, from: WireJSON.encode(other)) == other)
        #expect(try WireJSON.encode(one.redacted) == text)
        #expect(one.job.source == .inline(Data("bytes".utf8)), "only the redacted form has lost them")
        var third = other
        third.state?.payload = ["upload": "2"]
        #expect(other.state?.payload["upload"] == "1" && third != other)
        third.state?.payload = ["upload": "1"]
        #expect(third == other && third.hashValue == other.hashValue)
    }

    @Test func `what is redacted says so`() {
        let sources: [SourceReference] = [
            .inline(Data()), .inline(Data([1])), .staged(area: "a", name: "b"), .object(.url(Self.secret), seen: nil),
            .object(.url("https://example.test/a"), seen: nil),
        ]
        let destinations: [DestinationReference] = [
            .url(Self.secret), .url("https://jo:pw@example.test/a"), .url("https://example.test/a"),
            job().destination,
        ]
        for source in sources {
            for destination in destinations {
                var job = job()
                (job.source, job.destination) = (source, destination)
                #expect(source.isRedacted == (source == source.redacted))
                #expect(destination.isRedacted == (destination == destination.redacted))
                #expect(job.isRedacted == (source.isRedacted && destination.isRedacted))
                #expect(Baton(job: job).redacted.job == job.redacted && job.redacted.isRedacted)
            }
        }
    }

    @Test func `a baton that is told keeps the known job, with what its worker found out`() throws {
        var known = job()
        known.source = .object(.named(DestinationName(unchecked: "archive"), key: "b"), seen: nil)
        let seen = StoredObject(location: "s3://bucket/b", size: 7)
        var told = Baton(job: known.examined(as: seen))
        told.slice = 3
        let merged = Baton(job: known).merging(told)
        #expect(merged.slice == 3 && merged.job == known.examined(as: seen))
        let renamed = try #require(merged.job.renamed)
        var moved = merged
        moved.job = renamed
        #expect(merged.merging(moved).job == renamed)
        #expect(merged.merging(Baton(job: known.redacted)).job == merged.job)
    }

    @Test func `fields with their defaults are left out, and read as such`() throws {
        let text = try WireJSON.encode(LedgerJob(baton(), isWhole: false, at: Self.start))
        for name in ["slice", "failures", "isCancel", "runsAlone", "isWhole", "poisonCount", "hasProgressed"] {
            #expect(!String(decoding: text, as: UTF8.self).contains("\"\(name)\""), "\(name)")
        }
        var job = LedgerJob(baton(), isWhole: true, at: Self.start)
        (job.isSliceStarted, job.hasProgressed, job.isCancelling) = (true, true, true)
        (job.poisonCount, job.initialBytesSent, job.baton.slice, job.baton.idleWaits) = (1, 2, 3, 4)
        (job.baton.isCancel, job.baton.runsAlone, job.baton.activeSeconds) = (true, true, 1.5)
        for job in [job, LedgerJob(baton(), isWhole: false, at: Self.start)] {
            #expect(try WireJSON.decode(LedgerJob.self, from: WireJSON.encode(job)) == job)
        }
    }
}

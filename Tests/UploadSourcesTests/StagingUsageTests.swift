import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadSources

@Suite(.timeLimit(.minutes(10))) struct StagingUsageTests {
    @Test func `the bytes of an area, its file system's room and the jobs in its outbox are counted`() async throws {
        let scratch = try TemporaryDirectory()
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let empty = try await area.usage()
        #expect(empty.outboxCount == 0)
        #expect(empty.freeBytes > 0 && empty.freeBytes <= empty.capacityBytes)
        try Data(count: 10_000).write(to: URL(filePath: scratch.path("staging/copy")))
        #expect(try await area.usage().bytes == empty.bytes + 10_000)

        let jobs = (0..<3).map { index in
            UploadJob(
                source: .inline(Data("hello".utf8)),
                destination: .named(DestinationName(unchecked: "x"), key: "\(index)"), size: 5)
        }
        _ = try await area.outbox().keep(count: jobs.count) { index throws(UploadError) in jobs[index] }
        // One that cannot be read is a job, and a temporary file is none.
        try Data().write(to: URL(filePath: scratch.path("staging/outbox/a.json.unreadable")))
        try Data().write(to: URL(filePath: scratch.path("staging/outbox/.b.json")))
        #expect(try await area.usage().outboxCount == 4)
    }
}

import Testing
import UploadClient
import Uploads

@testable import UploadBootstrap

struct EnqueueResultTests {
    private let paths = ["a", "b", "c", "d", "e"]

    @Test func `a refused one is named with the reason, and only that one is absent`() {
        let result = EnqueueResult([
            .confirmed, .refused(UploadError(.rejected, "too large")), .kept, .confirmed, .confirmed,
        ])
        #expect(result.absent == [1])
        #expect(result.enqueuedCount == 4)
        let problem = result.problem { paths[$0] }
        #expect(problem.exitCode == .badInput)
        #expect(
            problem.problems == [
                "b: too large", "4 of 5 were enqueued, their ids are on standard output",
                "1 cannot be enqueued as they are: b; correct these",
            ])
    }

    @Test func `what may have arrived is not absent, and not to be enqueued again without a look`() {
        let result = EnqueueResult([
            .confirmed, .unknown(UploadError(.networkFailure, "lost")), .untried, .untried,
            .refused(UploadError(.rejected, "too large")),
        ])
        #expect(result.absent == [2, 3, 4])
        let problem = result.problem { paths[$0] }
        #expect(problem.exitCode == .unavailable)
        #expect(problem.problems.contains { $0.hasPrefix("2 were not tried, from c on") })
        #expect(problem.problems.contains { $0.hasPrefix("1 may have been enqueued") && $0.contains(": b;") })
    }

    @Test func `what could not be copied to the end is named with the reason, and its job has its copy`() {
        let result = EnqueueResult([
            .confirmed, .incomplete(UploadError(.sourceChanged, "b changed while it was read")), .untried,
        ])
        #expect(result.absent == [2] && result.enqueuedCount == 1)
        let problem = result.problem { paths[$0] }
        #expect(problem.exitCode == .badInput)
        #expect(
            problem.problems == [
                "b: b changed while it was read", "1 of 3 was enqueued, its id is on standard output",
                "1 could not be copied to the end: b; what was begun of it is removed, and its job fails; enqueue it again",
                "1 was not tried: c; enqueue it again",
            ])
    }

    @Test func `without a reason it was interrupted, and one is spoken of as one`() {
        let problem = EnqueueResult([.confirmed, .untried]).problem { paths[$0] }
        #expect(problem.exitCode == .interrupted)
        #expect(
            problem.problems == [
                "interrupted", "1 of 2 was enqueued, its id is on standard output",
                "1 was not tried: b; enqueue it again",
            ])
    }

    @Test func `of none no ids are promised`() {
        let full = UploadError(.noSpace, "full")
        let refused = EnqueueResult([.refused(full), .untried, .untried]).problem { paths[$0] }.problems
        #expect(refused.contains("nothing was enqueued"))
        #expect(!refused.contains { $0.contains("standard output") })
        // The job may have arrived, as the last line says.
        let unknown = EnqueueResult([.unknown(full)]).problem { paths[$0] }.problems
        #expect(!unknown.contains { $0.contains("nothing was enqueued") || $0.contains("standard output") })
        #expect(unknown.last?.hasPrefix("1 may have been enqueued") == true)
    }
}

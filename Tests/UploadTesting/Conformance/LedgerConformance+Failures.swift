import Foundation
import Testing
import Uploads

/// What failed jobs have in common.
extension LedgerConformance {
    static let failing = [
        Rule("failed jobs are grouped by destination and error, the largest group first") { suite in
            let ledger = try await suite.make()
            let jobs = try await fill(ledger)
            let groups = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
            #expect(groups.map(\.destination) == ["a", "b", "b"])
            #expect(groups.map(\.code) == [.accessDenied, .noSpace, .accessDenied])
            #expect(groups.map(\.count) == [6, 4, 2])
            #expect(groups.map(\.firstEndedAt) == times([0, 1, 3]))
            #expect(groups.map(\.lastEndedAt) == times([10, 9, 11]))
            #expect(groups.map(\.newest) == [jobs[10].id, jobs[9].id, jobs[11].id])
            #expect(groups.map(\.message) == ["it failed: 10", "it failed: 9", "it failed: 11"])
            #expect(try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 2) == Array(groups.prefix(2)))
            for group in groups {
                var filter = OrderFilter(destination: group.destination)
                filter.code = group.code
                #expect(try await ledger.count(filter, for: .runAgain) == group.count)
            }
        },
        Rule("failed jobs are grouped for a queue and since a time") { suite in
            let ledger = try await suite.make()
            let jobs = try await fill(ledger)
            let video = QueueName(unchecked: "video")
            let ofQueue = try await ledger.failureGroups(queue: video, endedSince: nil, limit: 50)
            #expect(ofQueue.map(\.count) == [2, 1, 1])
            #expect(ofQueue.map(\.destination) == ["a", "b", "b"])
            #expect(ofQueue.map(\.newest) == [jobs[6].id, jobs[9].id, jobs[3].id])
            let late = try await ledger.failureGroups(queue: nil, endedSince: start + 9, limit: 50)
            #expect(late.map(\.newest) == [jobs[11].id, jobs[10].id, jobs[9].id])
            #expect(late.map(\.count) == [1, 1, 1])
            #expect(late.map(\.firstEndedAt) == late.map(\.lastEndedAt))
            #expect(try await ledger.failureGroups(queue: video, endedSince: start + 10, limit: 50).isEmpty)
            #expect(try await ledger.failureGroups(queue: .standard, endedSince: start + 12, limit: 50).isEmpty)
        },
        Rule("a job that failed without an error is in a group, and one that is removed leaves its group") { suite in
            let ledger = try await suite.make()
            try await fill(ledger)
            let silent = makeJob("silent", destination: "c", after: 30)
            try await record([event(.failed, silent, after: 30)], in: ledger, routes: [])
            let more = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
            #expect(more.contains { $0.destination == "c" && $0.code == .unknown && $0.message == nil })
            ledger.settle(try await ledger.owed().map(\.id))
            _ = try await ledger.prune(endedBefore: start + 5, besides: ControlView(), limit: 100)
            let kept = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
            #expect(sum(of: more) == 13)
            #expect(sum(of: kept) == 8)
        },
    ]

    private static func times(_ seconds: [Double]) -> [Date] { seconds.map { start.addingTimeInterval($0) } }

    private static func sum(of groups: [FailureGroup]) -> Int { groups.reduce(0) { $0 + $1.count } }

    /// Twelve failed jobs, of which each ended a second after the one before, and others that have not failed.
    @discardableResult
    private static func fill(_ ledger: any Ports) async throws -> [UploadJob] {
        var (jobs, messages): ([UploadJob], [NotifierMessage]) = ([], [])
        for number in 0..<12 {
            let queue = number % 3 == 0 ? "video" : "default"
            let destination = number % 2 == 0 ? "a" : "b"
            let job = makeJob("\(number)", queue: queue, destination: destination, after: Double(number))
            let isDenied = number % 2 == 0 || number % 8 == 3
            let error = UploadError(isDenied ? .accessDenied : .noSpace, "it failed: \(number)")
            let time = start.addingTimeInterval(Double(number))
            messages.append(
                .event(UploadEvent(outcome: .failed(error, state: nil), of: Baton(job: job), at: time)))
            jobs.append(job)
        }
        messages.append(.job(makeJob("queued", destination: "a"), maybeRepeated: false))
        messages.append(event(.completed, makeJob("done", destination: "a")))
        try await record(messages, in: ledger, routes: [])
        return jobs
    }
}

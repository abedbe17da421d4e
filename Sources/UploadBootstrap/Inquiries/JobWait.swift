import Foundation
import NIOHTTP1
import Uploads
import UploadsAPI

/// Asks the notifier again and again until jobs have ended. While no notifier answers it goes on asking.
struct JobWait {
    /// Between two looks at all jobs.
    private static let pause = Duration.seconds(1)
    /// How long a job may be unknown: the notifier may not have recorded yet what was enqueued just now.
    private static let unknownPatience = Duration.seconds(10)
    private static let unfinished: [LedgerStatus] = [.queued, .running, .waiting, .paused]

    let client: NotifierClient
    let choice: WaitChoice
    /// Where the jobs are written as JSON; nil writes sentences.
    let json: ResultWriter?
    private let start = ContinuousClock.now
    private var isAway = false
    private var failedCount = 0

    init(client: NotifierClient, choice: WaitChoice, json: ResultWriter?) {
        self.client = client
        self.choice = choice
        self.json = json
    }

    /// - Returns: `uploadFailed` when a job ended otherwise than completed.
    /// - Throws: `noInput` for jobs that the notifier does not know, `unavailable` when the time limit has passed.
    mutating func run() async throws -> ExitCode {
        switch choice.jobs {
        case .named(let ids):
            var left = ids
            try await untilDone { wait in try await wait.take(endedOf: &left) }
        case .batch(let name):
            try await untilDone { wait in try await wait.hasEnded(name) }
            try await tellFailures(of: name)
        }
        return failedCount == 0 ? .done : .uploadFailed
    }

    private mutating func untilDone(_ isDone: (inout JobWait) async throws -> Bool) async throws {
        while true {
            do {
                if try await isDone(&self) { return }
                isAway = false
            } catch let error as ProgramError where error.exitCode == .unavailable {
                if !isAway { Console.error(line: "uploadctl: \(error); still waiting") }
                isAway = true
            }
            if let limit = choice.limit, start.duration(to: .now) >= limit {
                throw ProgramError(.unavailable, "not all jobs have ended within the --timeout; they go on")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private mutating func take(endedOf ids: inout [JobID]) async throws -> Bool {
        for id in ids {
            let story: API.JobStory
            do {
                story = try await client.ask(.GET, "/v1/jobs/\(id)")
            } catch let error as ProgramError where error.exitCode == .noInput {
                guard start.duration(to: .now) < Self.unknownPatience else { throw error }
                continue
            }
            guard !Self.unfinished.map(\.rawValue).contains(story.job.status) else { continue }
            try tell(story.job)
            ids.removeAll { $0 == id }
        }
        return ids.isEmpty
    }

    private func hasEnded(_ batch: String) async throws -> Bool {
        let open = Self.unfinished.map { (name: "status", value: $0.rawValue) }
        if try await !jobs(of: batch, open, limit: 1).isEmpty { return false }
        if try await !jobs(of: batch, limit: 1).isEmpty { return true }
        guard start.duration(to: .now) < Self.unknownPatience else {
            throw ProgramError(
                .noInput, "no job of the batch '\(batch)' is known; check its name with 'uploadctl jobs'")
        }
        return false
    }

    private mutating func tellFailures(of batch: String) async throws {
        let statuses = [LedgerStatus.failed, .cancelled].map { (name: "status", value: $0.rawValue) }
        for job in try await jobs(of: batch, statuses, limit: .max) { try tell(job) }
    }

    private func jobs(
        of batch: String, _ query: [(name: String, value: String)] = [], limit: Int
    ) async throws -> [API.Job] {
        try await client.items(
            "/v1/jobs", query + [(name: "batch", value: batch)], limit: limit, page: 200, cursor: "after")
    }

    private mutating func tell(_ job: API.Job) throws {
        if job.status != LedgerStatus.completed.rawValue { failedCount += 1 }
        if let json {
            try json.write(json: job)
        } else {
            let why = job.error.map { ": \($0.message)" } ?? ""
            Console.output(line: PlainText.safe("\(job.id) \(job.status)\(why)"))
        }
    }
}

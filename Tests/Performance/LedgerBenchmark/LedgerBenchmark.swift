import Foundation
import Glibc
import UploadNotifier
import Uploads

/// `LedgerBenchmark [JOBS] [LEDGER]` fills a ledger with jobs as the notifier does: the order and the end of a small file, and `started`
/// between them for half of the jobs, each in another transaction, and a delivery to one delegate. It prints the cost of a job, in processor time, which other programs disturb less, and in bytes of the
/// ledger's file, and then how fast the ledger answers. It is for people; no test depends on it.
///
/// Given the URL of a PostgreSQL database it does the same there, without the bytes. The processor time is this program's alone.
///
/// A million jobs take minutes and 5 GB of the directory for temporary files. With a path, the ledger is kept there, and the next
/// run with the same path repeats the questions without recording.
@main
enum LedgerBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let kept = arguments.first { Int($0) == nil }
        let directory = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
        defer { if kept == nil { try? FileManager.default.removeItem(at: directory) } }
        let path = kept ?? directory.appending(path: "ledger.sqlite").path
        let place = LedgerPlace.isURL(path) ? LedgerPlace.postgreSQL(url: path, password: nil) : .file(path: path)
        guard let ledger = try await place.openIfFree(logger: Ledger.noLogger) else {
            print("a notifier works with this ledger")
            exit(1)
        }
        var count = try await ledger.counts().values.reduce(0, +)
        if count == 0 {
            count = arguments.lazy.compactMap { Int($0) }.first ?? 20_000
            try await record(count, in: ledger)
            try await ledger.scrub(rewriting: false)
            if case .file = place {
                let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
                print("\(size / count) bytes a job")
            }
        }
        print("\(count) jobs")
        try await ask(ledger, of: count)
        try await ledger.close()
    }

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    /// The jobs whose messages come in one batch, as the notifier's prefetch allows.
    private static let batchCount = 1000
    /// The number of times that each question is asked.
    private static let runCount = 100
    /// The number of the oldest jobs; only these have the note of a veteran.
    private static let veteranCount = 50_000

    private static func note(_ number: Int, of count: Int) -> String {
        if number < veteranCount { return "veteran" }
        return number < count / 2 ? "regular" : "recruit"
    }

    private static func job(_ number: Int, of count: Int) -> UploadJob {
        let queue = QueueName(unchecked: ["default", "video", "photos", "scans"][number % 4])
        let destination = DestinationName(unchecked: ["photos", "archive", "tape"][number % 3])
        var job = UploadJob(
            queue: queue,
            // Small files travel in their messages.
            source: number % 2 == 0
                ? .inline(Data(repeating: UInt8(truncatingIfNeeded: number), count: 4096))
                : .staged(area: "area-1", name: "\(UUID().uuidString)-IMG_\(number).jpg"),
            destination: .named(destination, key: "2026/11/\(number % 28)/IMG_\(number).jpg"),
            contentType: "image/jpeg",
            size: number % 2 == 0 ? 4096 : Int64(number % 10_000_000),
            metadata: [
                "owner": "user-\(number % 5000)", "camera": "K-\(number % 7)",
                "note": note(number, of: count),
            ],
            enqueuedAt: start + Double(number) / 100)
        job.batch = number % 10 == 0 ? "nightly-\(number / 1000)" : nil
        job.idempotencyKey = number % 50 == 1 ? "key-\(number)" : nil
        return job
    }

    /// The messages of a job, in their order. Every twentieth job fails, every fiftieth is still queued.
    private static func messages(of number: Int, of count: Int) throws -> [NotifierMessage] {
        let job = job(number, of: count)
        var baton = Baton(job: job)
        let time = job.enqueuedAt + 5
        var messages = [NotifierMessage.job(job, maybeRepeated: false, body: try WireJSON.encode(job))]
        guard number % 50 != 7 else { return messages }
        // A small file has arrived before its worker would publish that it was started.
        if number % 2 == 1 { messages.append(try message(UploadEvent(kind: .started, of: baton, at: time))) }
        baton.bytesSent = job.size
        if number % 20 == 3 {
            let error = UploadError(.rejected, "the destination refused key \(number) with status 403")
            messages.append(try message(UploadEvent(outcome: .failed(error, state: nil), of: baton, at: time + 1)))
        } else {
            let object = StoredObject(location: "s3://bucket/IMG_\(number).jpg", size: job.size)
            messages.append(
                try message(UploadEvent(outcome: .completed(object, response: nil), of: baton, at: time + 1)))
        }
        return messages
    }

    /// An event with its text, as it comes from the broker.
    private static func message(_ event: UploadEvent) throws -> NotifierMessage {
        let body = try WireJSON.encode(event)
        return .event(try WireJSON.decode(UploadEvent.self, from: body), body: body)
    }

    private static func record(_ count: Int, in ledger: any NotifierLedger) async throws {
        var told = 0
        var recording = Cost()
        var delivering = Cost()
        for first in stride(from: 0, to: count, by: batchCount) {
            let jobs = first..<min(first + batchCount, count)
            let messages = try jobs.map { try Self.messages(of: $0, of: count) }
            for place in 0..<3 {
                let batch = messages.compactMap { place < $0.count ? $0[place] : nil }
                try await recording.measure {
                    let owed = try await ledger.record(
                        batch, view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: start)
                    ledger.settle(owed.map(\.id))
                }
            }
            try await delivering.measure {
                let due = try await ledger.due(
                    for: "hook", ordered: false, now: start, excluding: [], limit: batchCount)
                try await ledger.delivered(due.map(\.id), at: start, attempt: nil)
            }
            guard jobs.upperBound >= told + 20_000 || jobs.upperBound == count else { continue }
            let new = jobs.upperBound - told
            print(
                "\(jobs.upperBound) jobs: the last \(new) recorded \(recording.text(new)), delivered \(delivering.text(new))"
            )
            fflush(nil)
            (told, recording, delivering) = (jobs.upperBound, Cost(), Cost())
        }
    }

    private struct Cost {
        private var seconds = 0.0
        private var processor = 0.0

        mutating func measure(_ body: () async throws -> Void) async throws {
            let begin = ContinuousClock.now
            let processorBegin = clock()
            try await body()
            seconds += (ContinuousClock.now - begin) / .seconds(1)
            processor += Double(clock() - processorBegin) / Double(CLOCKS_PER_SEC)
        }

        func text(_ count: Int) -> String {
            "at \(Int(Double(count) / seconds))/s for \(String(format: "%.0f", processor * 1e6 / Double(count))) us of processor each"
        }
    }

    private static func ask(_ ledger: any NotifierLedger, of count: Int) async throws {
        let middle = start + Double(count) / 200
        try await time("newest 100", ledger) { _ = $0 }
        try await time("failed", ledger) { $0.statuses = [.failed] }
        try await time("live", ledger) { $0.statuses = [.queued, .running, .waiting, .paused] }
        try await time("queue and destination", ledger) {
            $0.queue = QueueName(unchecked: "video")
            $0.destination = "tape"
        }
        try await time("batch", ledger) { $0.batch = "nightly-\(count / 2000)" }
        try await time("key", ledger) { $0.idempotencyKey = "key-\(count / 100 * 50 + 1)" }
        try await time("batch, failed", ledger) {
            $0.batch = "nightly-\(count / 2000)"
            $0.statuses = [.failed]
        }
        try await time("oldest from the middle", ledger) {
            $0.enqueuedSince = middle
            $0.order = .oldestFirst
        }
        try await time("failed, newest before the middle", ledger) {
            $0.statuses = [.failed]
            $0.enqueuedUntil = middle
        }
        try await time("error and destination", ledger) {
            $0.code = .rejected
            $0.destination = "tape"
        }
        try await time("ended before the middle", ledger) { $0.endedUntil = middle }
        try await time("failed, ended after the middle, oldest first", ledger) {
            $0.statuses = [.failed]
            $0.endedSince = middle
            $0.order = .oldestFirst
        }
        try await time("text: one job", ledger) { $0.text = "img_\(count / 2).jpg" }
        try await time("text: 1 in 5000", ledger) { $0.text = "owner=user-77" }
        try await time("text: every job's", ledger) { $0.text = ".JPG" }
        try await time("text: only the oldest's", ledger) { $0.text = "note=veteran" }
        try await time("text: half of the jobs', the old ones", ledger) { $0.text = "note=regular" }
        try await time("text: two that never meet", ledger) { $0.text = "veteran\nowner=recruit" }
        try await time("text: only the oldest's, failed", ledger) {
            $0.text = "note=veteran"
            $0.statuses = [.failed]
        }
        try await time("text: every job's, failed before the middle", ledger) {
            $0.text = ".jpg"
            $0.statuses = [.failed]
            $0.enqueuedUntil = middle
        }
        try await time("text: no job's", ledger) { $0.text = "no such text" }
        try await time("text: 1 in 7, failed", ledger) {
            $0.text = "camera=k-3"
            $0.statuses = [.failed]
        }
        try await time("text: 1 in 5000, failed", ledger) {
            $0.text = "owner=user-77"
            $0.statuses = [.failed]
        }
        try await time("text: every job's, of a batch", ledger) {
            $0.text = ".jpg"
            $0.batch = "nightly-\(count / 2000)"
        }
        try await time("text: errors", ledger) { $0.text = "refused key \(count / 40 * 20 + 3) " }
        try await measure("counts") { _ = try await ledger.counts() }
        try await countMatching("all that failed", ledger, .runAgain) { _ in }
        try await countMatching("an error at a destination", ledger, .runAgain) {
            $0.code = .rejected
            $0.destination = "tape"
        }
        try await countMatching("ended before the middle", ledger, .forget) { $0.endedUntil = middle }
        try await countMatching("a queue's", ledger, .forget) { $0.queue = QueueName(unchecked: "video") }
        try await countMatching("a text's", ledger, .forget) { $0.text = "owner=user-77" }
        try await countMatching("a text that all have", ledger, .forget) { $0.text = ".jpg" }
        try await countMatching("a text that the oldest have", ledger, .forget) { $0.text = "note=veteran" }
        try await measure("failure groups") {
            _ = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
        }
        try await measure("failure groups of a queue, since the middle") {
            _ = try await ledger.failureGroups(queue: QueueName(unchecked: "video"), endedSince: middle, limit: 50)
        }
        let now = start + Double(count) / 100
        try await measure("history of a month") {
            _ = try await ledger.history(from: now - 30 * 86_400, until: now, bucketSeconds: 21_600, queue: nil)
        }
        try await measure("history of a day") {
            _ = try await ledger.history(from: now - 86_400, until: now, bucketSeconds: 600, queue: nil)
        }
        try await measure("queues") { _ = try await ledger.queues(throughputSince: start) }
        try await measure("destinations") { _ = try await ledger.destinations() }
        let last = try await ledger.lastSequence()
        try await measure("events after the middle") {
            _ = try await ledger.events(after: last / 2, EventFilter(), limit: 100)
        }
        try await measure("events of a kind that never came") {
            _ = try await ledger.events(after: last / 2, EventFilter(kinds: [.paused]), limit: 100)
        }
    }

    private static func time(
        _ name: String, _ ledger: any NotifierLedger, _ change: (inout LedgerFilter) -> Void
    ) async throws {
        var filter = LedgerFilter()
        change(&filter)
        let found = try await ledger.jobs(filter).jobs.count
        let chosen = filter
        try await measure("\(name) (\(found))") { _ = try await ledger.jobs(chosen) }
    }

    private static func countMatching(
        _ name: String, _ ledger: any NotifierLedger, _ verb: Verb, _ change: (inout OrderFilter) -> Void
    ) async throws {
        var filter = OrderFilter()
        change(&filter)
        let chosen = filter
        let bounds = OrderPreview.Bounds()
        let found = try await ledger.preview(chosen, for: verb, bounds: bounds)
        let number = "\(found.matched)\(found.mayBeMore ? " or more" : "")"
        try await measure("count of \(name) (\(number))") {
            _ = try await ledger.preview(chosen, for: verb, bounds: bounds)
        }
    }

    private static func measure(_ name: String, _ body: () async throws -> Void) async throws {
        var times: [Double] = []
        var processor: [Double] = []
        for _ in 0..<runCount {
            let begin = ContinuousClock.now
            let processorBegin = clock()
            try await body()
            times.append((ContinuousClock.now - begin) / .milliseconds(1))
            processor.append(Double(clock() - processorBegin) / Double(CLOCKS_PER_SEC) * 1000)
        }
        let numbers = [times.sorted(), processor.sorted()].flatMap { [$0[runCount / 2], $0[runCount * 99 / 100 - 1]] }
            .map { String(format: "%.1f", $0) }
        print(
            "\(name): median \(numbers[0]) ms, 99th percentile of \(runCount) \(numbers[1]) ms;",
            "processor \(numbers[2]) and \(numbers[3]) ms")
        fflush(nil)
    }
}

import Foundation
import Uploads
import UploadsAPI

/// The texts that `uploadctl` prints about an order: results for standard output, everything else for standard error.
struct OrderReport: Hashable {
    var output: [String] = []
    var errors: [String] = []
    var exitCode = ExitCode.done

    private struct Row: Encodable {
        var id: JobID?
        var queue: QueueName?
        var worker: String?
        var order: UUID?
        var verb: String
        var done: Bool?
        var reason: String?
    }

    /// The report of `--dry-run`: which jobs, queues or workers the order names.
    /// - Parameter counted: what the notifier says of a filter.
    init(dryRunOf command: UploadOrder.Command, counted: API.OrderAnswer? = nil, printsJSON: Bool) {
        if printsJSON {
            var more: [String: JSONValue] = [:]
            if let matched = counted?.matched { more["matched"] = .integer(Int64(matched)) }
            if counted?.mayBeMore == true { more["mayBeMore"] = true }
            output = [
                Self.json(
                    UploadOrder(command, by: ""),
                    keeping: ["verb", "jobs", "to", "before", "after", "filter", "queues", "workers"], adding: more)
            ]
            return
        }
        switch command {
        case .jobs(let verb, let jobs): output = jobs.map { "\(verb.imperative) \($0)" }
        case .matching(let verb, let filter, _):
            let count = counted?.matched.map { ": " + Self.count($0, mayBeMore: counted?.mayBeMore == true) }
            output = ["\(verb.imperative) all jobs \(filter.words(for: verb))\(count ?? "")"]
        case .move(let jobs, let target):
            output = jobs.map { "move \($0) \(target.words)" }
        case .stopQueues(let queues): output = queues.map { "stop queue \($0)" }
        case .startQueues(let queues): output = queues.map { "start queue \($0)" }
        case .drainWorkers(let workers): output = workers.map { "drain worker \(PlainText.safe($0))" }
        case .resumeWorkers(let workers): output = workers.map { "resume worker \(PlainText.safe($0))" }
        // A dry run of a sweep is an order to the notifier, which alone knows what a sweep would remove.
        case .sweepDestination, .sweepStaging: break
        case .ask(let jobs): output = jobs.map { "ask \($0)" }
        }
    }

    /// - Parameter answer: nil when the notifier did not answer in time.
    init(_ answer: OrderAnswer?, to order: UploadOrder, waited seconds: TimeInterval?, printsJSON: Bool) {
        guard let answer else {
            if printsJSON { output = [Self.json(Row(order: order.id, verb: order.command.verb))] }
            if order.command.isSweep {
                exitCode = .unavailable
                errors = [Self.noSweep(within: seconds ?? 0)]
            } else if let seconds {
                errors = [
                    """
                    no answer from the notifier within \(Quantity.text(seconds: seconds)): the order is kept by the \
                    broker and holds when the notifier reads it
                    """
                ]
            }
            return
        }
        if answer.problem == .notRecorded {
            exitCode = .uploadFailed
            errors = [
                PlainText.safe(answer.reason ?? "the ledger cannot carry out the order; see the notifier's log")
            ]
            if printsJSON { output = [Self.json(Row(order: order.id, verb: order.command.verb, done: false))] }
            return
        }
        switch order.command {
        case .jobs(let verb, _): tell(answer, verb.rawValue, verb.result, printsJSON)
        case .ask: tell(answer, "ask", "is known", printsJSON)
        case .move(_, let target): tell(answer, "move", "is moved \(target.words)", printsJSON)
        case .matching(let verb, _, let atMost):
            tell(answer, verb.rawValue, verb.result, printsJSON)
            if answer.problem == .tooMany {
                exitCode = .uploadFailed
                errors = [
                    """
                    \(answer.matched) jobs match, more than \(atMost ?? 0): nothing was done; --yes does it to all of them
                    """
                ]
            } else if answer.matched == 0 {
                errors = ["no job matches"]
            }
        case .sweepDestination, .sweepStaging: tell(sweep: answer, printsJSON)
        case .stopQueues(let queues), .startQueues(let queues):
            let word = order.command.verb == "stopQueue" ? "stopped" : "started"
            output = queues.map { queue in
                printsJSON
                    ? Self.json(Row(queue: queue, verb: order.command.verb, done: true)) : "queue \(queue) \(word)"
            }
        case .drainWorkers(let workers): tell(workers, "hands its jobs over", order, printsJSON)
        case .resumeWorkers(let workers): tell(workers, "takes jobs again", order, printsJSON)
        }
    }

    private mutating func tell(_ workers: [String], _ result: String, _ order: UploadOrder, _ printsJSON: Bool) {
        output = workers.map { worker in
            printsJSON
                ? Self.json(Row(worker: worker, verb: order.command.verb, done: true))
                : "worker \(PlainText.safe(worker)) \(result)"
        }
    }

    private static func noSweep(within seconds: TimeInterval) -> String {
        """
        no answer from the notifier within \(Quantity.text(seconds: seconds)): it is away or busy; the sweep is made when it \
        reads the order (--timeout waits longer)
        """
    }

    private mutating func tell(sweep answer: OrderAnswer, _ printsJSON: Bool) {
        guard let sweep = answer.sweep else {
            exitCode = .uploadFailed
            errors = [PlainText.safe(answer.reason ?? "the notifier could not sweep")]
            return
        }
        let isFailed = sweep.removed < sweep.found && !sweep.dryRun
        if isFailed { exitCode = .uploadFailed }
        if printsJSON {
            output = [Self.json(sweep)]
            return
        }
        for item in sweep.items {
            let bytes = item.bytes.map { ", \(Quantity.text(bytes: $0))" } ?? ""
            // A key or path may contain a line end, which would start a new line of output.
            let text = "\(PlainText.safe(item.name)) (since \(WireJSON.timestamp(item.since))\(bytes))"
            if let reason = item.reason {
                errors.append("\(text) stays: \(PlainText.safe(reason))")
            } else {
                output.append("\(item.removed ? "removed" : "would remove") \(text)")
            }
        }
        let size = sweep.bytes > 0 ? ", \(Quantity.text(bytes: sweep.bytes))" : ""
        errors.append(
            "\(sweep.listed) looked at, \(sweep.found) needed by no job\(size), \(sweep.removed) removed"
                + (sweep.found > sweep.items.count ? "; the first \(sweep.items.count) are listed" : ""))
    }

    private mutating func tell(_ answer: OrderAnswer, _ verb: String, _ result: String, _ printsJSON: Bool) {
        for job in answer.jobs {
            if printsJSON {
                output.append(Self.json(Row(id: job.id, verb: verb, done: job.done, reason: job.reason)))
            } else if job.done {
                output.append("\(job.id) \(result)")
            } else {
                errors.append("rejected: \(PlainText.safe(job.reason ?? "job \(job.id) refused"))")
            }
        }
        if answer.matched > answer.jobs.count, answer.problem == nil {
            errors.append("\(answer.matched) jobs matched, \(answer.done) of them obey; not all are listed")
        }
        if answer.done < answer.matched { exitCode = .uploadFailed }
    }

    private static func count(_ matched: Int, mayBeMore: Bool) -> String {
        (mayBeMore ? "at least " : "") + (matched == 1 ? "1 job" : "\(matched) jobs")
    }

    private static func json(
        _ line: some Encodable, keeping keys: Set<String>? = nil, adding more: [String: JSONValue] = [:]
    ) -> String {
        guard let data = try? WireJSON.encode(line) else { return "{}" }
        guard let keys, case .object(let fields)? = try? WireJSON.decode(JSONValue.self, from: data) else {
            return String(decoding: data, as: UTF8.self)
        }
        let kept = JSONValue.object(fields.filter { keys.contains($0.key) }.merging(more) { $1 })
        return (try? WireJSON.encode(kept)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension Verb {
    var imperative: String {
        switch self {
        case .cancel, .pause, .resume, .discard, .forget: rawValue
        case .runNow: "run now"
        case .runAgain: "run again"
        }
    }

    fileprivate var result: String {
        switch self {
        case .cancel: "will be cancelled"
        case .pause: "is paused"
        case .resume: "goes on"
        case .runNow: "runs next"
        case .runAgain: "runs again"
        case .forget: "is forgotten"
        case .discard: "is discarded: it will end as cancelled when a worker has removed what it left"
        }
    }
}

extension LineTarget {
    fileprivate var words: String {
        switch self {
        case .index(let index): "to \(index)"
        case .before(let job): "before \(job)"
        case .after(let job): "after \(job)"
        }
    }
}

extension OrderFilter {
    fileprivate func words(for verb: Verb) -> String {
        var words: [String] = []
        if let queue { words.append("of queue \(queue)") }
        if let destination { words.append("for destination \(destination)") }
        if let batch { words.append("of batch \(batch)") }
        if let client { words.append("of app \(client)") }
        if let idempotencyKey { words.append("with key \(idempotencyKey)") }
        if let text { words.append("with the text '\(text)'") }
        if let enqueuedSince { words.append("enqueued since \(WireJSON.timestamp(enqueuedSince))") }
        if let enqueuedUntil { words.append("enqueued before \(WireJSON.timestamp(enqueuedUntil))") }
        if let endedSince { words.append("that ended since \(WireJSON.timestamp(endedSince))") }
        if let endedUntil { words.append("that ended before \(WireJSON.timestamp(endedUntil))") }
        if let code { words.append("that failed with \(code)") }
        let statuses = listing(for: verb).possibleStatuses ?? []
        words.append("that are " + statuses.map(\.rawValue).sorted().joined(separator: ", "))
        return words.joined(separator: " ")
    }
}

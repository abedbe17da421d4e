import Foundation
import Uploads

/// Why a job is not running, or that it is running: a sentence for people, and one word of a fixed list for programs.
struct JobExplanation: Hashable, Sendable {
    /// In the order in which the initializer looks for them.
    enum Code: String, CaseIterable, Sendable {
        case completed, failed, cancelled, running
        case cancelling, paused, queueStopped, inLine, issuing, waiting, dropped, noWorker, queued
    }

    var code: Code
    /// A sentence, with a remedy where an operator can do something.
    var text: String
    /// When the explanation changes by itself at the latest; nil where it does not, or no time is known.
    var until: Date?

    /// - Parameters:
    ///   - control: nil while the notifier cannot ask the broker.
    ///   - lanes: the messages and consumers of the job's queue; empty when the queue was never declared, nil while the
    ///     notifier cannot ask the broker.
    ///   - place: the job's place in the serial line of its queue; nil outside a line.
    ///   - reports: the latest reports of workers about the job's destination.
    ///   - worker: the name of the worker that runs the job, by its last report; nil where none says so.
    init(
        of job: LedgerJob, control: ControlView?, lanes: [Lane: LaneDepth]?, place: LinePlace? = nil,
        reports: [DestinationReport] = [], worker: String? = nil, now: Date = Date()
    ) {
        let queue = job.baton.job.queue
        let again = "'uploadctl run --again \(job.id)' begins a new round"
        let isStopped = control?.stoppedQueues.contains(queue) ?? false
        let consumers = lanes.map { $0.values.reduce(0) { $0 + $1.consumers } }
        until = nil
        if let end = job.end, let time = job.forgottenAt {
            code =
                switch end.kind {
                case .completed: .completed
                case .cancelled: .cancelled
                default: .failed
                }
            text =
                "it has ended as \(end.kind.rawValue); its names, metadata, answers and errors were forgotten at "
                + "\(WireJSON.timestamp(time)), so it cannot run again"
        } else if let end = job.end {
            switch end.kind {
            case .completed: (code, text) = (.completed, "it has completed")
            case .cancelled: (code, text) = (.cancelled, "it was cancelled; \(again)")
            default:
                code = .failed
                // Of a copy that was never complete nothing is left to go on with.
                let remedy =
                    end.error?.code == .sourceIncomplete ? "" : "; \(again), and 'uploadctl discard' gives it up"
                text = "it has failed: \(end.error?.message ?? "no reason is known")\(remedy)"
            }
        } else if job.isCancelling {
            code = .cancelling
            text = Self.text(ofCancelling: job, consumers: consumers)
            until = job.status == .waiting ? job.waitingUntil : nil
        } else if job.isPaused || job.status == .paused {
            code = .paused
            text = Self.text(ofPaused: job)
        } else if isStopped {
            code = .queueStopped
            text = "queue '\(queue)' is stopped; 'uploadctl queue start \(queue)' lets its jobs go on"
        } else if job.line == .waiting {
            code = .inLine
            text = Self.text(ofLine: queue, place)
        } else if job.status == .waiting, let due = job.waitingUntil, due + Self.lateness < now {
            code = consumers == 0 ? .noWorker : .queued
            text = Self.text(ofOverdue: job, since: due, lanes: lanes, consumers: consumers)
        } else if job.status == .waiting {
            code = .waiting
            text = Self.text(ofWaiting: job)
            until = job.waitingUntil
        } else if job.wish != nil {
            code = .issuing
            text = "it is unknown whether its worker still has it; the notifier is about to hand it out anew"
        } else if let hold = job.hold {
            code = hold.cause == .noLane ? .noWorker : .dropped
            text = Self.text(ofHeld: job, hold)
            until = hold.cause == .noLane ? nil : hold.until
        } else if job.status == .running {
            code = .running
            let place = worker.map { " at worker '\($0)'" } ?? ""
            text = "it is running since \(WireJSON.timestamp(job.since))\(place)\(Self.pace(reports))"
        } else if consumers == 0 {
            code = .noWorker
            text = "no worker takes from queue '\(queue)'; start upload-worker --queue \(queue)"
        } else {
            code = .queued
            text = Self.text(ofQueued: job, lanes: lanes) + Self.pace(reports)
        }
    }

    /// Positions count from the job that begins next; the job that is on its way is named, and not counted.
    private static func text(ofLine queue: QueueName, _ place: LinePlace?) -> String {
        guard let place, let position = place.position else {
            return "it begins when those before it in the serial line of queue '\(queue)' have ended"
        }
        let rank = position == 0 ? "next" : "\(ordinal(position + 1)) of \(place.waiting) that wait"
        var text = "it is \(rank) in the serial line of queue '\(queue)'"
        if let behind = place.behind { text += ", behind job \(behind)" }
        guard let holder = place.holder, let status = place.holderStatus else { return text }
        let name = holder == place.behind ? ", which" : "; job \(holder)"
        let state = status == .paused ? "paused and holds the line up: resume it or cancel it" : status.rawValue
        return "\(text)\(name) is \(state)"
    }

    private static func ordinal(_ number: Int) -> String {
        switch number {
        case 1...3: ["first", "second", "third"][number - 1]
        default: "number \(number)"
        }
    }

    private static func text(ofHeld job: LedgerJob, _ hold: IssueHold) -> String {
        let queue = job.baton.job.queue
        return switch hold.cause {
        case .noLane:
            """
            queue '\(queue)' does not exist on the broker, because no worker has ever served it; the notifier keeps the job and \
            hands it out when a worker serves the queue: start upload-worker --queue \(queue), or cancel the job if the name is wrong
            """
        case .policy:
            "\(job.reason ?? "a policy made the broker drop the job's message"); the notifier hands the job out again after "
                + "\(WireJSON.timestamp(hold.until)), once a worker takes from queue '\(queue)'"
        case .givenUp:
            "\(job.reason ?? "the broker gave the job's message up"); the notifier hands the job out again after "
                + WireJSON.timestamp(hold.until)
        }
    }

    private static func text(ofCancelling job: LedgerJob, consumers: Int?) -> String {
        let queue = job.baton.job.queue
        if consumers == 0 { return "it is being cancelled, which waits for a worker that serves queue '\(queue)'" }
        guard job.status == .waiting, let until = job.waitingUntil else { return "it is being cancelled" }
        let why =
            switch job.reason {
            case "cancelling": "; until then a worker that has not heard of it may still be sending"
            case "locked": "; another slice works on its staged copy"
            default: trouble(of: job)
            }
        return "it is being cancelled, until \(WireJSON.timestamp(until))\(why)"
    }

    private static func text(ofPaused job: LedgerJob) -> String {
        "an operator paused it; 'uploadctl resume \(job.id)' lets it go on"
    }

    private static func text(ofQueued job: LedgerJob, lanes: [Lane: LaneDepth]?) -> String {
        guard let lanes else { return "it waits for its turn; the broker cannot be asked just now" }
        let waiting = lanes.values.reduce(0) { $0 + $1.messages }
        return "it waits for its turn: \(waiting) waiting in queue '\(job.baton.job.queue)'"
    }

    /// Seconds that a job which has waited may take to come back after its time.
    private static let lateness: TimeInterval = 30

    private static func text(
        ofOverdue job: LedgerJob, since due: Date, lanes: [Lane: LaneDepth]?, consumers: Int?
    ) -> String {
        let turn =
            consumers == 0
            ? "no worker takes from queue '\(job.baton.job.queue)'; start upload-worker --queue \(job.baton.job.queue)"
            : text(ofQueued: job, lanes: lanes)
        return
            "its wait was over at \(WireJSON.timestamp(due)), and no worker has taken it since; \(turn). If it stays so, "
            + "'uploadctl topology check' says whether the queues are there in which the broker lets jobs wait"
    }

    /// A job without a retry policy is tried as often as its destination's configuration says, which only its worker
    /// knows.
    private static func attempts(of job: LedgerJob) -> String {
        job.baton.job.retry.map { "\(job.baton.attempts) of \($0.maxAttempts)" } ?? "\(job.baton.attempts)"
    }

    /// The limits of the job's destination that make jobs wait just now, and at how many workers.
    private static func pace(_ reports: [DestinationReport]) -> String {
        let held = reports.filter(\.pace.isHeld)
        guard let first = held.first else { return "" }
        let limits = [
            first.limits.bytesPerSecond.map { "bytesPerSecond: \($0)" },
            first.limits.requestsPerSecond.map { "requestsPerSecond: \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
        let jobs = held.reduce(0) { $0.addingSaturating($1.jobsInFlight) }
        return "; the limits of destination '\(first.destination)' (\(limits)) hold up what goes there: "
            + "\(DashboardText.count(jobs, "job")) at \(DashboardText.count(held.count, "worker"))"
    }

    private static func trouble(of job: LedgerJob) -> String { job.trouble.map { ": \($0)" } ?? "" }

    private static func text(ofWaiting job: LedgerJob) -> String {
        let destination = job.baton.job.destination.label
        let when = job.waitingUntil.map { " until \(WireJSON.timestamp($0))" } ?? ""
        let last = job.baton.failures.last.map { "; last failure: \($0.message)" } ?? ""
        return switch job.reason {
        case "retry":
            "it waits\(when) for its next attempt (\(attempts(of: job)) failed)\(last); "
                + "'uploadctl run \(job.id)' tries at once"
        case "circuitOpen":
            "destination '\(destination)' cannot be used, so the job does not try it\(when)\(trouble(of: job)); it goes on by itself, and "
                + "waiting uses up no attempt"
        case "clock":
            "its time is over by the clock of the worker that looked at it, which no other clock has confirmed; another look follows\(when.isEmpty ? "" : " after\(when.dropFirst(6))"). If it stays so, look at the workers' clocks (NTP)"
        case "resting": "destination '\(destination)' is not asked\(when)\(trouble(of: job))"
        case "notYet":
            "destination '\(destination)' has all of it and is not done with it yet; it is asked again\(when.isEmpty ? "" : " after\(when.dropFirst(6))")"
        case "limited":
            "a limit of destination '\(destination)' or of its worker holds it up\(when)\(trouble(of: job))"
        case "scheduled": "it is not to start before \(when.isEmpty ? "its time" : String(when.dropFirst(7)))"
        case "locked": "another slice works on its staged copy; it waits\(when)"
        case "copying":
            "the program that enqueued it still copies the file into the staging area; it goes on with the copy"
        case "unknownDestination":
            "no worker that looked at it knows destination '\(destination)'; add it to the workers' configuration"
        case "unknownStagingArea":
            "no worker that looked at it serves the staging area of its copy; start one that does"
        case "unsupportedVersion": "it was enqueued by a newer version; update the workers"
        case "paused": text(ofPaused: job)
        default: "it waits\(when)\(job.reason.map { " (\($0))" } ?? "")"
        }
    }
}

import Foundation
import Uploads
import UploadsAPI

extension Table {
    init(_ jobs: [API.Job], _ time: LocalTime) {
        self.init(
            [
                Column(title: "ID"), Column(title: "STATUS"), Column(title: "AGE", isNumber: true, dropOrder: 1),
                Column(title: "QUEUE", minimum: 7, dropOrder: 3), Column(title: "SIZE", isNumber: true, dropOrder: 2),
                Column(title: "TARGET", minimum: 10, keepsEnd: true),
                Column(title: "WHY", minimum: 16, dropOrder: 4),
                .wide("SOURCE"), .wide("BATCH"),
                .wide("PRIORITY"), .wide("ATTEMPTS", isNumber: true),
                .wide("SENT", isNumber: true), .wide("ENQUEUED"),
                .wide("ENDED"),
            ],
            rows: jobs.map { job in
                let until = job.waitingUntil.map { " until \(time.text($0))" } ?? ""
                let gauge = job.progress.map { $0.gauge(of: job.size) }
                let advance = gauge.map { "\($0.percent.drop { $0 == " " }), \($0.rate)" }
                let why = advance ?? job.error?.code ?? job.reason.map { $0 + until } ?? ""
                return [
                    job.id, job.status, time.age(job.enqueuedAt), job.queue, Quantity.text(bytes: job.size), job.target,
                    why, job.source, job.batch ?? "-", job.priority, String(job.attempts),
                    Quantity.text(bytes: job.bytesSent), time.text(job.enqueuedAt),
                    job.endedAt.map { time.text($0) } ?? "-",
                ]
            })
    }

    init(_ groups: [API.FailureGroup], _ time: LocalTime) {
        self.init(
            [
                Column(title: "DESTINATION", minimum: 11), Column(title: "ERROR"),
                Column(title: "JOBS", isNumber: true),
                Column(title: "FIRST", isNumber: true, dropOrder: 2),
                Column(title: "LAST", isNumber: true, dropOrder: 1),
                Column(title: "NEWEST SAYS", minimum: 16, dropOrder: 3),
                .wide("NEWEST"),
            ],
            rows: groups.map { group in
                [
                    group.destination, group.error, String(group.jobs), time.age(group.firstEndedAt),
                    time.age(group.lastEndedAt), group.message ?? "-", group.newest ?? "-",
                ]
            })
    }

    init(_ queues: [API.Queue], _ time: LocalTime) {
        self.init(
            [
                Column(title: "QUEUE", minimum: 12), Column(title: "STATE"), Column(title: "DEPTH", minimum: 10),
                Column(title: "RUNNING", isNumber: true), Column(title: "WAITING", isNumber: true),
                Column(title: "WORKERS", isNumber: true, dropOrder: 1),
                Column(title: "OLDEST", isNumber: true, dropOrder: 2),
                Column(title: "RATE", isNumber: true, dropOrder: 4),
                Column(title: "LEFT", isNumber: true, dropOrder: 3),
                .wide("QUEUED", isNumber: true), .wide("PAUSED", isNumber: true),
                .wide("BYTES LEFT", isNumber: true), .wide("COMPLETED/MIN", isNumber: true),
                .wide("FAILED/MIN", isNumber: true), .wide("HELD UP BY"),
            ],
            rows: queues.map { queue in
                return [
                    queue.name, queue.state, queue.depth.map { Self.depth($0) } ?? "?",
                    String(queue.jobs["running"] ?? 0),
                    String(queue.jobs["waiting"] ?? 0), queue.consumers.map(String.init) ?? "?",
                    queue.oldestWaiting.map { time.age($0) } ?? "-",
                    queue.bytesPerSecond > 0
                        ? "\(Quantity.text(bytes: Int64(saturating: queue.bytesPerSecond)))/s" : "-",
                    queue.secondsLeft.map { LocalTime.short(seconds: $0) } ?? "-",
                    String(queue.jobs["queued"] ?? 0), String(queue.jobs["paused"] ?? 0),
                    Quantity.text(bytes: queue.bytesLeft), String(format: "%.1f", queue.completedPerMinute),
                    String(format: "%.1f", queue.failedPerMinute),
                    queue.heldUp.map { "\($0.destination) (\($0.reason))" }.joined(separator: ", "),
                ]
            })
    }

    /// `12 normal, 3 bulk`: without the lanes in which nothing waits.
    static func depth(_ lanes: [String: Int]) -> String {
        let order = ["urgent", "continued", "normal", "bulk"]
        let filled = lanes.filter { $0.value > 0 }.sorted {
            (order.firstIndex(of: $0.key) ?? .max, $0.key) < (order.firstIndex(of: $1.key) ?? .max, $1.key)
        }
        return filled.isEmpty ? "0" : filled.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    init(_ deliveries: [API.Delivery], _ time: LocalTime) {
        self.init(
            [
                Column(title: "ID", isNumber: true), Column(title: "STATUS"), Column(title: "DELEGATE", minimum: 8),
                Column(title: "JOB", dropOrder: 1), Column(title: "AGE", isNumber: true, dropOrder: 2),
                Column(title: "FAILED", isNumber: true, dropOrder: 3),
                Column(title: "NEXT", dropOrder: 4), Column(title: "ERROR", minimum: 16, dropOrder: 5),
                .wide("EVENT"), .wide("CREATED"),
                .wide("DELIVERED"),
            ],
            rows: deliveries.map { delivery in
                let next = delivery.status == "waiting" ? delivery.dueAt.map { time.text($0) } : nil
                return [
                    String(delivery.id), delivery.status, delivery.delegate, delivery.job,
                    time.age(delivery.createdAt), String(delivery.attempts), next ?? "", delivery.error ?? "",
                    delivery.event, time.text(delivery.createdAt), delivery.deliveredAt.map { time.text($0) } ?? "-",
                ]
            })
    }

    init(_ letters: [API.DeadLetter], _ time: LocalTime) {
        self.init(
            [
                Column(title: "ID", isNumber: true), Column(title: "AT", dropOrder: 1),
                Column(title: "SIZE", isNumber: true, dropOrder: 2), Column(title: "STATUS"),
                Column(title: "TYPE", minimum: 8, dropOrder: 3),
                Column(title: "REASON", minimum: 20), .wide("JOB"), .wide("ORIGIN"),
                .wide("REPLAYED"), .wide("REPLAYED BY"),
            ],
            rows: letters.map { letter in
                let size = Quantity.text(bytes: letter.bytes)
                let again = letter.replayOf.map { "(\($0) again) " } ?? ""
                return [
                    String(letter.id), time.text(letter.at), size, letter.status, letter.type ?? "-",
                    again + letter.reason, letter.job ?? "-", letter.origin ?? "-",
                    letter.replayedAt.map { time.text($0) } ?? "-", letter.replayedBy ?? "-",
                ]
            })
    }

    init(_ line: [API.LineEntry], _ time: LocalTime) {
        self.init(
            [
                Column(title: "PLACE", isNumber: true), Column(title: "ID"), Column(title: "STATUS", dropOrder: 1),
                Column(title: "AGE", isNumber: true, dropOrder: 2), Column(title: "SIZE", isNumber: true, dropOrder: 3),
                Column(title: "TARGET", minimum: 12, keepsEnd: true), .wide("SOURCE"),
                .wide("BATCH"), .wide("ENQUEUED"),
            ],
            rows: line.map { place in
                let job = place.job
                return [
                    place.position.map(String.init) ?? "-", job.id, job.status, time.age(job.enqueuedAt),
                    Quantity.text(bytes: job.size), job.target, job.source, job.batch ?? "-",
                    time.text(job.enqueuedAt),
                ]
            })
    }

    init(_ workers: [API.Worker], _ time: LocalTime) {
        self.init(
            [
                Column(title: "WORKER", minimum: 16, keepsEnd: true), Column(title: "STATE"),
                Column(title: "SLOTS", isNumber: true, minimum: 8),
                Column(title: "RATE", isNumber: true, dropOrder: 1), Column(title: "SINCE", isNumber: true),
                Column(title: "SEEN", isNumber: true, dropOrder: 3),
                Column(title: "VERSION", minimum: 7, dropOrder: 4), Column(title: "HOST", minimum: 8, dropOrder: 5),
                Column(title: "QUEUES", minimum: 8, dropOrder: 2), .wide("STARTED"),
                .wide("COMMIT"),
            ],
            rows: workers.map { worker in
                let rate = worker.bytesPerSecond.map { "\(Quantity.text(bytes: Int64(saturating: $0)))/s" }
                return [
                    worker.name, worker.state, "\(worker.slotsUsed)/\(worker.slots)", rate ?? "-",
                    time.age(worker.startedAt), time.age(worker.heardAt), worker.version, worker.host,
                    worker.queues.joined(separator: ", "), time.text(worker.startedAt), worker.commit ?? "-",
                ]
            })
    }

    init(_ destinations: [API.Destination], _ time: LocalTime) {
        self.init(
            [
                Column(title: "DESTINATION", minimum: 12), Column(title: "DRIVER", dropOrder: 2),
                Column(title: "CIRCUIT", minimum: 8),
                Column(title: "RUNNING", isNumber: true), Column(title: "WAITING", isNumber: true),
                Column(title: "LIMITED", isNumber: true, dropOrder: 3),
                Column(title: "LEFT", isNumber: true, dropOrder: 1), Column(title: "WORKERS", dropOrder: 4),
                Column(title: "NOW", dropOrder: 5), Column(title: "LIMITS", minimum: 10, dropOrder: 6),
                Column(title: "ERROR", minimum: 12, dropOrder: 7), .wide("QUEUED", isNumber: true),
                .wide("PAUSED", isNumber: true), .wide("PARTS", isNumber: true),
                .wide("OPEN SINCE"),
            ],
            rows: destinations.map { destination in
                let circuit = destination.circuit
                let until = circuit.until.map { " until \(time.text($0))" } ?? ""
                return [
                    destination.name, destination.driver ?? "-", circuit.state + until,
                    String(destination.jobs["running"] ?? 0), String(destination.jobs["waiting"] ?? 0),
                    String(destination.limited), Quantity.text(bytes: destination.bytesLeft),
                    destination.live?.workersText ?? "-", destination.live?.paceText ?? "-",
                    destination.limits?.text ?? "", circuit.error ?? "", String(destination.jobs["queued"] ?? 0),
                    String(destination.jobs["paused"] ?? 0), destination.live.map { String($0.partsInFlight) } ?? "-",
                    circuit.since.map { time.text($0) } ?? "-",
                ]
            })
    }
}

extension API.DestinationLive {
    /// `3`, or `1 of 3 failing`: one worker's circuit is not closed.
    fileprivate var workersText: String { failing > 0 ? "\(failing) of \(workers) failing" : String(workers) }

    /// `12.4 MiB/s, 34 of 64 jobs` under way of those that the workers have found best, with `, held` while a limit makes jobs wait;
    /// `idle` without jobs.
    fileprivate var paceText: String {
        guard jobsInFlight > 0 else { return "idle" }
        let bytes = Int64(min(max(0, bytesPerSecond), 1e18).rounded())
        let atOnce = jobsAtOnce.map { ", \(jobsInFlight) of \($0) jobs" } ?? ""
        return "\(Quantity.text(bytes: bytes))/s\(atOnce)" + (held > 0 ? ", held" : "")
    }
}

extension API.Limits {
    /// `8 jobs, 4 parts, 100 MiB/s`; empty without limits.
    fileprivate var text: String {
        [
            jobs.map { "\($0) jobs" }, parts.map { "\($0) parts" },
            bytesPerSecond.map { "\(Quantity.text(bytes: $0))/s" }, requestsPerSecond.map { "\($0) requests/s" },
        ].compactMap(\.self).joined(separator: ", ")
    }
}

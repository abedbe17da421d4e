import Foundation
import UploadTesting

extension CrashPoint {
    private static let submitted = Mail(exchange: "submit", key: "default.")
    private static let baton = Mail(exchange: "jobs", key: "default.")
    /// A job that the notifier issues; the notifier publishes to the lane's queue directly.
    private static let issued = Mail(exchange: "", key: "jobs.default.")
    private static let started = Mail(exchange: "events", key: "started.")
    private static let end = Mail(exchange: "events", key: "completed.")
    private static let marker = Mail(exchange: "", key: "notifier")
    private static let fence = Mail(exchange: "control", key: "", text: "\"fence\"")
    private static let outcome = Mail(exchange: "outcomes", key: "completed.")

    static let all = worker + wholeObject + notifier

    /// The number of sessions that may be left to the sweep. The event `started` comes after a second: on a slow machine that is before the
    /// worker has noted its session and acknowledged the first delivery.
    func orphans(after steps: [AMQPStep], in namespace: String) -> ClosedRange<Int> {
        let isNoted = steps.contains { step in
            guard case .acknowledge(let messages) = step else { return false }
            return messages.contains { Self.submitted.matches($0, in: namespace) }
        }
        return isSlow && !isNoted ? 0...1 : orphans
    }

    /// Points at which a worker is killed that uploads an object of several parts.
    private static let worker: [CrashPoint] =
        [
            CrashPoint(victim: .worker, moment: .before, what: "the delivery of the job", step: .deliver(submitted)),
            CrashPoint(
                victim: .worker, moment: .before, what: "the publish of the baton with the session",
                step: .publish(baton), orphans: 0...1),
            CrashPoint(
                victim: .worker, moment: .before, what: "the confirm of the baton with the session",
                step: .confirm(baton), resentMaximum: 3, orphans: 0...1),
            CrashPoint(
                victim: .worker, moment: .before, what: "the publish of started", step: .publish(started),
                resentMaximum: 3, isSlow: true),
            CrashPoint(
                victim: .worker, moment: .before, what: "the confirm of started", step: .confirm(started),
                resentMaximum: 3, isSlow: true),
        ]
        + both(.worker, "the acknowledgement of the first delivery", .acknowledge(submitted)) { point in
            point.resentMaximum = 3
            point.orphans = 0...1
        }
        + both(.worker, "CreateMultipartUpload", .request { $0.method == "POST" && $0.query["uploads"] != nil }) {
            if $0.moment == .after { $0.orphans = 1...1 }
        }
        + both(.worker, "the third UploadPart", .request { $0.partNumber == 3 }) { $0.resentMaximum = 3 }
        + both(.worker, "CompleteMultipartUpload", .request { $0.method == "POST" && $0.query["uploadId"] != nil })
        + ended(.multipart, baton)

    /// Points at which a worker is killed that uploads an object in one request.
    private static let wholeObject: [CrashPoint] = [Size.single, .inline].flatMap { size in
        both(.worker, "PutObject", .request { $0.method == "PUT" && $0.partNumber == nil }) { $0.size = size }
            + (size == .single ? ended(size, submitted) : [])
    }

    private static func ended(_ size: Size, _ last: Mail) -> [CrashPoint] {
        [
            CrashPoint(
                victim: .worker, moment: .before, what: "the publish of the end", step: .publish(end), size: size),
            CrashPoint(
                victim: .worker, moment: .before, what: "the confirm of the end", step: .confirm(end), size: size,
                leavesCopy: true),
        ] + both(.worker, "the acknowledgement of the last delivery", .acknowledge(last)) { $0.size = size }
    }

    static let notifier: [CrashPoint] =
        [
            CrashPoint(
                victim: .notifier, moment: .before, what: "the delivery of the job", step: .deliver(submitted),
                size: .inline),
            CrashPoint(
                victim: .notifier, moment: .before, what: "the delivery of the end", step: .deliver(end),
                size: .inline),
            CrashPoint(
                victim: .notifier, moment: .before, what: "the publish of the outcome", step: .publish(outcome),
                size: .inline),
            CrashPoint(
                victim: .notifier, moment: .before, what: "the confirm of the outcome", step: .confirm(outcome),
                size: .inline),
        ]
        + both(.notifier, "the acknowledgement of the job", .acknowledge(submitted)) { $0.size = .inline }
        + both(.notifier, "the acknowledgement of the end", .acknowledge(end)) { $0.size = .inline }
        + issuing.prefix(3) + issuing.dropFirst(3).map(supersedingAnOpening)

    /// The notifier's points that are tried with a ledger in PostgreSQL: every second one, all where `LONGSHORE_ALL_CRASH_POINTS` is set.
    static let inPostgreSQL: [CrashPoint] =
        ProcessInfo.processInfo.environment["LONGSHORE_ALL_CRASH_POINTS"] != nil
        ? notifier : notifier.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)

    /// The points in their order in time: until the notifier has published the baton, no worker has it.
    private static let issuing: [CrashPoint] = [
        ("the marker", marker), ("the issued baton", issued), ("the fence", fence),
    ].flatMap { name, mail in
        [("the publish of \(name)", Step.publish(mail)), ("the confirm of \(name)", .confirm(mail))].map { what, step in
            CrashPoint(
                victim: .notifier, moment: .before, what: what, step: step, resentMaximum: 3, needsSuspect: true)
        }
    }

    /// A worker has the issued baton, and the notifier that takes over issues the job once more. The worker is superseded while it opens a
    /// session, which then is left behind.
    private static func supersedingAnOpening(_ point: CrashPoint) -> CrashPoint {
        var point = point
        point.stallsOpening = true
        point.orphans = 1...1
        return point
    }

    private static func both(
        _ victim: Victim, _ what: String, _ step: Step, _ change: (inout CrashPoint) -> Void = { _ in }
    ) -> [CrashPoint] {
        [Moment.before, .after].map { moment in
            var point = CrashPoint(victim: victim, moment: moment, what: what, step: step)
            change(&point)
            return point
        }
    }
}

public import ArgumentParser
import Foundation
import Uploads

/// Which events `uploadctl watch` follows.
public struct EventChoice: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Events of this transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var queue: String?

    @Option(help: ArgumentHelp("Events of this job.", valueName: "id"), completion: NameCompletion.jobs)
    var job: String?

    @Option(
        help: ArgumentHelp(
            "enqueued, started, waiting, handedOver, suspect, paused, completed, failed or cancelled; repeatable.",
            valueName: "kind"),
        completion: .list(Self.kinds))
    var kind: [String] = []

    /// Without progress, which is not recorded; on a terminal `watch` shows it anyway.
    private static let kinds = EventKind.allCases.filter { $0 != .progress }.map(\.rawValue)

    public init() {}

    public func validate() throws {
        if let job, JobID(job) == nil {
            throw ValidationError("--job: '\(job.prefix(80))' is no job id: give one that enqueue-upload printed")
        }
        if let stranger = kind.first(where: { !Self.kinds.contains($0) }) {
            throw ValidationError(
                "--kind: '\(stranger.prefix(80))' is not a kind; choose from \(Self.kinds.joined(separator: ", "))")
        }
    }

    /// The parameters of the API's query.
    var query: [(name: String, value: String)] {
        kind.map { (name: "kind", value: $0) }
            + [("queue", queue), ("job", job)].compactMap { name, value in value.map { (name: name, value: $0) } }
    }
}

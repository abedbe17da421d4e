public import ArgumentParser
import Foundation
import Uploads

/// Which jobs `uploadctl jobs` lists.
public struct JobFilter: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "queued, running, waiting, paused, completed, failed or cancelled; several with commas, or repeated.",
            valueName: "status"),
        completion: .list(LedgerStatus.allCases.map(\.rawValue)))
    var status: [String] = []

    @Option(help: ArgumentHelp("Jobs of this transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var queue: String?

    @Option(
        help: ArgumentHelp("Jobs for this destination.", valueName: "name"), completion: NameCompletion.destinations)
    var destination: String?

    @Option(help: ArgumentHelp("Jobs of this batch.", valueName: "name"))
    var batch: String?

    @Option(help: ArgumentHelp("The job with this idempotency key.", valueName: "key"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Part of a source's name, a key, metadata, a batch or an error; 3 or more characters.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Enqueued since: 2h ago, or a time such as 2026-11-21T08:00.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Enqueued before: 1h ago, or a time.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("Ended since: 2h ago, or a time.", valueName: "time"))
    var endedSince: String?

    @Option(help: ArgumentHelp("Ended before: 1h ago, or a time.", valueName: "time"))
    var endedUntil: String?

    @Option(
        help: ArgumentHelp("Failed with this error, such as accessDenied.", valueName: "code"),
        completion: .list(UploadError.Code.allCodes.map(\.description)))
    var error: String?

    @Option(help: ArgumentHelp("Jobs of this app.", valueName: "name"))
    var client: String?

    @Flag(help: "Begin with the oldest.")
    var oldestFirst = false

    @Option(help: ArgumentHelp("The most jobs to list.", valueName: "n"))
    var limit = 50

    public init() {}

    public func validate() throws {
        guard (1...Inquiry.rowsMaximum).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to \(Inquiry.rowsMaximum)")
        }
        let known = LedgerStatus.allCases.map(\.rawValue)
        if let stranger = status.commaSeparated.first(where: { !known.contains($0) }) {
            throw ValidationError(
                "--status: '\(stranger.prefix(80))' is not a status; choose from \(known.joined(separator: ", "))")
        }
    }

    /// The parameters of the API's query.
    /// - Throws: a usage error for a text that is no time.
    func query(now: Date = Date()) throws(ProgramError) -> [(name: String, value: String)] {
        let times = [
            ("since", try PastTime.read(since, of: "--since", now: now)),
            ("until", try PastTime.read(until, of: "--until", now: now)),
            ("endedSince", try PastTime.read(endedSince, of: "--ended-since", now: now)),
            ("endedUntil", try PastTime.read(endedUntil, of: "--ended-until", now: now)),
        ]
        let texts = [
            ("queue", queue), ("destination", destination), ("batch", batch), ("key", key), ("text", text),
            ("error", try error.map { name throws(ProgramError) in try UploadError.Code(argument: name).description }),
            ("client", client),
        ]
        return status.commaSeparated.map { (name: "status", value: $0) }
            + texts.compactMap { name, value in value.map { (name: name, value: $0) } }
            + (oldestFirst ? [(name: "order", value: "oldestFirst")] : [])
            + times.compactMap { name, value in value.map { (name: name, value: WireJSON.timestamp($0)) } }
    }
}

public import ArgumentParser
import Foundation
import Uploads
import UploadsAPI

/// Which failed jobs `uploadctl failures` groups.
public struct FailureChoice: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Jobs of this transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var queue: String?

    @Option(help: ArgumentHelp("Ended since: 2h ago, or a time such as 2026-11-21T08:00.", valueName: "time"))
    var since: String?

    public init() {}

    /// The parameters of the API's query.
    /// - Throws: a usage error for a text that is no time.
    func query(now: Date = Date()) throws(ProgramError) -> [(name: String, value: String)] {
        let time = try PastTime.read(since, of: "--since", now: now)
        return [("queue", queue), ("since", time.map { WireJSON.timestamp($0) })].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
    }

    /// The command that runs the jobs of a group again. A destination's name comes from a job.
    /// - Parameter query: what was asked (``query(now:)``).
    static func command(for group: API.FailureGroup, _ query: [(name: String, value: String)]) -> String {
        var words = ["uploadctl", "run", "--again", "--destination", group.destination, "--error", group.error]
        for (name, value) in query { words += [name == "since" ? "--ended-since" : "--\(name)", value] }
        return words.map(ShellWord.quoted).joined(separator: " ")
    }
}

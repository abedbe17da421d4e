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

    /// The command that runs the jobs of a group again.
    /// - Parameter query: what was asked (``query(now:)``).
    static func command(for group: API.FailureGroup, _ query: [(name: String, value: String)]) -> String {
        var words = ["uploadctl", "run", "--again", "--destination", group.destination, "--error", group.error]
        for (name, value) in query { words += [name == "since" ? "--ended-since" : "--\(name)", value] }
        return words.map(quoted).joined(separator: " ")
    }

    /// The word as a shell reads it. A destination's name comes from a job.
    private static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains)
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }

    /// The characters that no shell reads as anything but themselves.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+,".utf8)
}

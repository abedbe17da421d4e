public import ArgumentParser
import Foundation

/// Which dead letters a command is about.
public struct DeadLetterOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Those that say to be of this type: upload.job.v1, say.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("Those with this in their reason.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Those recorded since: 2h ago, or a time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Those recorded before: 1h ago, or a time.", valueName: "time"))
    var until: String?

    public init() {}

    /// - Throws: usage, for what is no time.
    public func filter() throws -> DeadLetterFilter {
        DeadLetterFilter(
            type: type, reason: reason, since: try PastTime.read(since, of: "--since"),
            until: try PastTime.read(until, of: "--until"))
    }
}

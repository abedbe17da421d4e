public import ArgumentParser
import Foundation

/// Which dead letters a command is about.
public struct DeadLetterOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Dead letters that claim this type, such as upload.job.v1.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("Dead letters with this text in their reason.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Dead letters recorded since: 2h ago, or a time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Dead letters recorded before: 1h ago, or a time.", valueName: "time"))
    var until: String?

    public init() {}

    /// - Throws: a usage error for a text that is no time.
    public func filter() throws -> DeadLetterFilter {
        DeadLetterFilter(
            type: type, reason: reason, since: try PastTime.read(since, of: "--since"),
            until: try PastTime.read(until, of: "--until"))
    }
}

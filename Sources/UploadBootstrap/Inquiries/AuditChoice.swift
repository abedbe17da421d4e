public import ArgumentParser
import Foundation
import Uploads

/// Which entries of the audit log `uploadctl audit` lists.
public struct AuditChoice: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Orders of this name or address, or of a part of it.", valueName: "text"))
    var by: String?

    @Option(help: ArgumentHelp("Orders with this verb, such as cancel or delegate.pause.", valueName: "verb"))
    var verb: String?

    @Option(help: ArgumentHelp("Orders given since: 2h ago, or a time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Orders given before: 1h ago, or a time.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("The most orders to list.", valueName: "n"))
    var limit = 50

    public init() {}

    public func validate() throws {
        guard (1...Inquiry.rowsMaximum).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to \(Inquiry.rowsMaximum)")
        }
        _ = try query()
    }

    /// The choice by the API's names.
    func query() throws -> [(name: String, value: String)] {
        [
            ("by", by), ("verb", verb),
            ("since", try PastTime.read(since, of: "--since").map { WireJSON.timestamp($0) }),
            ("until", try PastTime.read(until, of: "--until").map { WireJSON.timestamp($0) }),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}

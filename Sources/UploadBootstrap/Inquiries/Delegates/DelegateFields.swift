public import ArgumentParser
import Foundation
public import Uploads

/// The options for the fields of a delegate's definition, to register or to change it.
public struct DelegateFields: ParsableArguments, Sendable {
    static let resettable = [
        "types", "queues", "destinations", "batches", "metadata", "fields", "ordered", "concurrency", "timeout", "mode",
    ]

    @Option(help: ArgumentHelp("Post outcomes to this URL.", valueName: "url"))
    public var url: String?

    @Option(help: ArgumentHelp("structured (default) or binary CloudEvents.", valueName: "mode"))
    var mode: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("completed, failed or cancelled (default: all); repeatable.", valueName: "outcome"))
    var types: [String] = []

    @Option(
        name: .customLong("queue"),
        help: ArgumentHelp("Only jobs of this transfer queue; repeatable.", valueName: "name"))
    var queues: [String] = []

    @Option(
        name: .customLong("destination"),
        help: ArgumentHelp("Only jobs to this destination; repeatable.", valueName: "name"))
    var destinations: [String] = []

    @Option(
        name: .customLong("batch"), help: ArgumentHelp("Only jobs of this batch; repeatable.", valueName: "name"))
    var batches: [String] = []

    @Option(help: ArgumentHelp("Only jobs with this metadata; repeatable.", valueName: "key=value"))
    var metadata: [String] = []

    @Option(
        name: .customLong("field"),
        help: ArgumentHelp(
            "A field to deliver instead of the whole outcome: id=subject, done==true; repeatable.",
            valueName: "name=source"))
    var fields: [String] = []

    @Flag(inversion: .prefixedNo, help: "One outcome of a job after the other.")
    var ordered: Bool?

    @Option(help: ArgumentHelp("Deliveries at once, 1 to 100.", valueName: "n"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("Time for one delivery, 1s to 5m.", valueName: "duration"))
    var timeout: String?

    public init() {}

    /// The given fields by the API's names for them.
    /// - Throws: a usage error for a text that cannot be read. The notifier checks the values.
    public func values() throws -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        values["url"] = url.map { .string($0) }
        values["mode"] = mode.map { .string($0) }
        for (name, texts) in [
            ("types", types), ("queues", queues), ("destinations", destinations), ("batches", batches),
        ] where !texts.isEmpty {
            values[name] = .array(texts.map { .string($0) })
        }
        if !metadata.isEmpty { values["metadata"] = try Self.object(metadata, of: "--metadata", like: "customer=acme") }
        if !fields.isEmpty { values["fields"] = try Self.object(fields, of: "--field", like: "fileId=subject") }
        values["ordered"] = ordered.map { .bool($0) }
        values["concurrency"] = concurrency.map { .integer(Int64($0)) }
        if let timeout {
            guard let seconds = Quantity.seconds(timeout) else {
                throw ProgramError(.usage, "--timeout '\(timeout.prefix(80))': expected a duration such as 20s")
            }
            values["timeoutSeconds"] = .number(seconds)
        }
        return values
    }

    /// A JSON merge patch.
    /// - Parameter resets: the names of fields to set to their defaults.
    public func patch(resetting resets: [String]) throws -> [String: JSONValue] {
        var patch = try values()
        for reset in resets {
            guard Self.resettable.contains(reset) else {
                throw ProgramError(
                    .usage,
                    "--reset '\(reset.prefix(80))': there are \(Self.resettable.joined(separator: ", "))")
            }
            let name = reset == "timeout" ? "timeoutSeconds" : reset
            guard patch[name] == nil else {
                throw ProgramError(
                    .usage, "--reset \(reset): the field is also set by another option; give one of the two")
            }
            patch[name] = .null
        }
        guard !patch.isEmpty else { throw ProgramError(.usage, "nothing to change: give a field, such as --url URL") }
        return patch
    }

    private static func object(_ items: [String], of option: String, like example: String) throws -> JSONValue {
        var object: [String: JSONValue] = [:]
        for item in items {
            guard let sign = item.firstIndex(of: "="), sign != item.startIndex else {
                throw ProgramError(.usage, "\(option) '\(item.prefix(80))': expected a pair such as \(example)")
            }
            object[String(item[..<sign])] = .string(String(item[item.index(after: sign)...]))
        }
        return .object(object)
    }
}

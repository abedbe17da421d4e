public import ArgumentParser

/// How a command of `uploadctl` writes its results.
public enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Tables and texts for people.
    case table
    /// Tables with all columns, as wide as their values.
    case wide
    /// One JSON value: an array for a list, an object for anything else.
    case json
    /// A JSON object a line, written as soon as it is there.
    case ndjson

    var isJSON: Bool { self == .json || self == .ndjson }
}

public import ArgumentParser

/// How `enqueue-upload` writes the jobs that it has enqueued.
public enum ListingFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// A job's id a line.
    case ids
    /// One JSON array.
    case json
    /// A JSON object a line.
    case ndjson
}

public import Logging

/// A log handler that passes each line to a closure: its level, its message and its metadata.
public struct LineHandler: LogHandler {
    private let keep: @Sendable (String) -> Void
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.trace

    public init(_ keep: @escaping @Sendable (String) -> Void) { self.keep = keep }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        keep("\(event.level) \(event.message) \(metadata.merging(event.metadata ?? [:]) { $1 })")
    }
}

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-21T08:00:00.000Z warning message key=value`
    case text
    /// One JSON object a line: time, level, message, metadata.
    case json
}

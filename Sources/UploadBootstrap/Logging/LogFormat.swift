/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-21T08:00:00.000Z warning message key=value`
    case text
    /// One JSON object a line: time, level, message, metadata.
    case json
    /// `<4>warning message key=value`: the journal of systemd has a time of its own, and takes the number for the line's priority
    /// (sd-daemon(3)). Text becomes this where the journal reads standard error.
    case journal

    /// The format of the configuration's word.
    /// - Parameters:
    ///   - environment: `JOURNAL_STREAM`, device and inode of the journal's stream (systemd.exec(5)).
    ///   - standardError: what standard error is, as /proc/self/fd/2 says: `socket:[1234]`.
    init(_ word: String, _ environment: [String: String], standardError: String?) {
        self = word == Self.json.rawValue ? .json : .text
        guard self == .text, let inode = environment["JOURNAL_STREAM"]?.split(separator: ":").last else { return }
        if standardError == "socket:[\(inode)]" { self = .journal }
    }
}

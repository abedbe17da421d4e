public import Foundation

/// Everything that a configuration is read from: file, flags, environment. Tests make their own.
public struct ConfigurationInput: Sendable {
    /// The file that `--config` names; nil: the first existing one of the usual places.
    public var file: String?
    /// Values of flags by key path; their origin names the flag.
    public var commandLine: [String: Setting]
    public var environment: [String: String]
    /// The working directory, where relative paths begin.
    public var directory: String
    /// Defaults that differ between programs.
    var standards: [String: String] = [:]

    public init(
        file: String? = nil, commandLine: [String: Setting] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        directory: String = FileManager.default.currentDirectoryPath
    ) {
        self.file = file
        self.commandLine = commandLine
        self.environment = environment
        self.directory = directory
        for (path, name) in Self.stateNames { standards[path] = "\(stateDirectory)/\(name)" }
    }

    /// Keys whose default lies in the directory for state, each with its name there.
    static let stateNames = ["staging": "staging", "spool": "spool", "notifier.ledger": "ledger.sqlite"]

    /// Records a flag's value; nil: the flag was not given.
    public mutating func set(_ path: String, to value: String?, flag: String) {
        guard let value else { return }
        commandLine[path] = Setting(value, .commandLine(flag: flag))
    }

    /// Records the values of a flag that may be repeated.
    public mutating func set(_ path: String, to values: [String], flag: String) {
        guard !values.isEmpty else { return }
        commandLine[path] = Setting(.list(values), .commandLine(flag: flag))
    }

    /// `$XDG_STATE_HOME/longshore` (XDG Base Directory Specification).
    private var stateDirectory: String {
        if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return "\(home)/longshore" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/longshore"
    }
}

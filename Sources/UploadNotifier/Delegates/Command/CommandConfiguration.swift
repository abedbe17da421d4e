public import Foundation

/// A command: which program, with which arguments and environment. Nothing of an event ever becomes part of them.
public struct CommandConfiguration: Hashable, Sendable {
    /// The program's absolute path; no shell reads it, and no `PATH` is searched.
    public var path: String
    public var arguments: [String]
    /// The whole environment but for `PATH`, which is `/usr/local/bin:/usr/bin:/bin` unless it stands here. Never logged.
    public var environment: [String: String]
    /// Seconds until a run is killed with all that it started: 30.
    public var timeout: TimeInterval

    public init(
        path: String, arguments: [String] = [], environment: [String: String] = [:], timeout: TimeInterval = 30
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.timeout = timeout
    }
}

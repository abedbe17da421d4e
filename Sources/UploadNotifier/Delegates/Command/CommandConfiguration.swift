public import Foundation

/// A command delegate: its program, arguments and environment. No part of an event ever becomes an argument or a variable.
public struct CommandConfiguration: Hashable, Sendable {
    /// The program's absolute path; no shell reads it, and no `PATH` is searched.
    public var path: String
    public var arguments: [String]
    /// The program's whole environment. `PATH` is `/usr/local/bin:/usr/bin:/bin` unless it is set here. Never logged.
    public var environment: [String: String]
    /// Seconds until a run is killed with all processes that it started: 30.
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

import Synchronization

/// Whether a program does its work at the moment, and if not, the reason. Services write it, and `/readyz` reads it.
public final class Readiness: Sendable {
    /// The time that the broker has to answer a readiness check before it counts as unreachable.
    static let patience = Duration.seconds(2)

    private let check = Mutex<@Sendable () async -> String?>({ "starting" })

    public init() {}

    /// The reason in one line; nil when the program is ready.
    public var reason: String? {
        get async {
            let ask = check.withLock { $0 }
            return await ask()
        }
    }

    /// Marks the program as not ready, for this reason.
    public func set(_ reason: String) { check.withLock { $0 = { reason } } }

    /// Sets the check that each reading of ``reason`` makes from now on.
    public func set(_ ask: @escaping @Sendable () async -> String?) { check.withLock { $0 = ask } }
}

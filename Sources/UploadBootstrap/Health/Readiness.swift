import Synchronization

/// Whether a program does its work just now, and if not, why. Written by services, read by `/readyz`.
public final class Readiness: Sendable {
    /// How long what a program needs may take to answer before it counts as away.
    static let patience = Duration.seconds(2)

    private let check = Mutex<@Sendable () async -> String?>({ "starting" })

    public init() {}

    /// Why not, in a line; nil is ready.
    public var reason: String? {
        get async {
            let ask = check.withLock { $0 }
            return await ask()
        }
    }

    /// Not ready, for this reason.
    public func set(_ reason: String) { check.withLock { $0 = { reason } } }

    /// From now on this is asked each time.
    public func set(_ ask: @escaping @Sendable () async -> String?) { check.withLock { $0 = ask } }
}

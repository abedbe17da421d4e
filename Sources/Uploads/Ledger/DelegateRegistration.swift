public import Foundation

/// A delegate that was registered at run time, as the ledger keeps it.
public struct DelegateRegistration: Hashable, Sendable {
    public var name: String
    /// JSON that only the notifier understands, secrets included: never shown, never logged.
    public var definition: Data
    public var createdAt: Date
    /// When its definition was changed last.
    public var changedAt: Date
    /// When it was removed. The registration stays until the deliveries that waited for it are struck off; nil while it
    /// is registered.
    public var removedAt: Date?

    public init(
        name: String, definition: Data, createdAt: Date, changedAt: Date? = nil, removedAt: Date? = nil
    ) {
        self.name = name
        self.definition = definition
        self.createdAt = createdAt
        self.changedAt = changedAt ?? createdAt
        self.removedAt = removedAt
    }
}

extension DelegateRegistration: CustomStringConvertible, CustomReflectable {
    public var description: String { "delegate '\(name)'" }

    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// The durable subscription of an app: the queue delegate that the notifier keeps for the managers of one identifier
/// (``UploadJob/client``) and that receives the outcomes of their jobs alone.
public enum ClientDelegate {
    /// The beginning of these delegates' names, which no other delegate's name may have.
    public static let prefix = "client-"
    /// The longest identifier that a name contains unchanged. The name of a longer one has full length, so no two names
    /// are the same.
    private static let plainCountMaximum = nameCountMaximum - prefix.utf8.count - 1
    private static let nameCountMaximum = 64

    /// The delegate's name, `[a-z0-9_-]{1,64}`: the identifier behind the prefix; one that is too long is cut and ends in its checksum.
    /// - Returns: nil for what is no identifier.
    public static func name(of client: String) -> String? {
        guard (try? QueueName(client)) != nil else { return nil }
        guard client.utf8.count > plainCountMaximum else { return prefix + client }
        let checksum = String(CRC64NVME(of: Array(client.utf8)).value, radix: 16)
        let padded = String(repeating: "0", count: 16 - checksum.count) + checksum
        return prefix + client.prefix(nameCountMaximum - prefix.utf8.count - 1 - padded.count) + "-" + padded
    }

    /// Whether a name is of the kind that only these delegates have.
    public static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) }
}

/// The state of a delegate in the outbox.
public struct DelegateStatus: Hashable, Sendable {
    public var delegate: String
    /// Outcomes that it has not taken yet and that are still tried.
    public var backlog: Int
    /// Outcomes that were given up, kept until they are replayed.
    public var failed: Int
    /// The time since which nothing is delivered to it; nil while it is served.
    public var pausedSince: Date?
    /// Why it is paused.
    public var reason: String?
    /// Whether an operator paused it, so that only an operator lets it go on. After a restart all others are served
    /// again.
    public var isHeld: Bool

    public init(
        delegate: String, backlog: Int, failed: Int = 0, pausedSince: Date? = nil, reason: String? = nil,
        isHeld: Bool = false
    ) {
        self.delegate = delegate
        self.backlog = backlog
        self.failed = failed
        self.pausedSince = pausedSince
        self.reason = reason
        self.isHeld = isHeld
    }
}

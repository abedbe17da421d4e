public import Foundation

/// A delegate that was registered at run time, as the ledger keeps it.
public struct DelegateRegistration: Hashable, Sendable {
    public var name: String
    /// JSON that only the notifier understands, secrets included: never shown, never logged.
    public var definition: Data
    public var createdAt: Date
    /// When its definition was changed last.
    public var changedAt: Date
    /// When it was removed, while what waited for it is being struck off; nil while it is registered.
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

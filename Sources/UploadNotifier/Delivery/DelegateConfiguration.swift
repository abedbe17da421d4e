public import Foundation
public import Uploads

/// A delegate as the configuration names it, `delegates: {billing: {kind: webhook, …}}`, or as it was registered.
public struct DelegateConfiguration: Hashable, Sendable {
    /// Deliveries under way that may be allowed.
    public static let concurrencyRange = 1...100
    /// Seconds that one delivery may be given.
    public static let timeoutRange: ClosedRange<TimeInterval> = 1...300

    /// What kind of delegate, with what that kind needs.
    public enum Kind: Hashable, Sendable {
        case webhook(WebhookConfiguration)
        case queue(QueueConfiguration)
        case command(CommandConfiguration)
        case log(LogConfiguration)

        /// The configuration of the kind. A new kind is one case above, and one line here.
        var configuration: any DelegateKind {
            switch self {
            case .webhook(let webhook): webhook
            case .queue(let queue): queue
            case .command(let command): command
            case .log(let log): log
            }
        }
    }

    public var name: String
    public var kind: Kind
    /// Which outcomes it is told of; all three by default.
    public var types: Set<EventKind>
    /// Of which jobs; all by default.
    public var filter: DeliveryFilter
    /// What it gets as `data`; nil for everything.
    public var mapping: FieldMapping?
    /// Whether a job's outcomes come one after the other, in the order of its rounds.
    public var isOrdered: Bool
    /// Deliveries under way at most, 1 to 100; nil for 8, and 4 for commands.
    public var concurrencyMaximum: Int?

    public init(
        name: String, kind: Kind, types: Set<EventKind> = [.completed, .failed, .cancelled],
        filter: DeliveryFilter = DeliveryFilter(), mapping: FieldMapping? = nil, isOrdered: Bool = false,
        concurrencyMaximum: Int? = nil
    ) {
        self.name = name
        self.kind = kind
        self.types = types
        self.filter = filter
        self.mapping = mapping
        self.isOrdered = isOrdered
        self.concurrencyMaximum = concurrencyMaximum
    }
}

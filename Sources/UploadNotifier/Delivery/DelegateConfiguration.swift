public import Foundation
public import Uploads

/// The configuration of a delegate, from the configuration file, `delegates: {billing: {kind: webhook, …}}`, or from a registration.
public struct DelegateConfiguration: Hashable, Sendable {
    /// The permitted values of the number of deliveries under way.
    public static let concurrencyRange = 1...100
    /// The permitted values of the time for one delivery, in seconds.
    public static let timeoutRange: ClosedRange<TimeInterval> = 1...300

    /// The kind of the delegate, with the settings of that kind.
    public enum Kind: Hashable, Sendable {
        case webhook(WebhookConfiguration)
        case queue(QueueConfiguration)
        case command(CommandConfiguration)
        case log(LogConfiguration)
    }

    public var name: String
    public var kind: Kind
    /// The outcomes that the delegate receives; all three by default.
    public var types: Set<EventKind>
    /// The jobs whose outcomes it receives; all by default.
    public var filter: DeliveryFilter
    /// The fields that it gets as `data`; nil for all fields.
    public var mapping: FieldMapping?
    /// Whether a job's outcomes are delivered one after the other, in the order of its rounds.
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

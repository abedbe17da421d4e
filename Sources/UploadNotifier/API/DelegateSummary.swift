public import Foundation
import Uploads

/// A delegate's definition without its secrets.
public struct DelegateSummary: Hashable, Sendable {
    /// Where its definition is kept.
    public enum Origin: String, Sendable {
        /// The notifier's configuration, which alone can change it.
        case configuration
        /// The ledger: it was registered at run time.
        case registration
    }

    public var name: String
    /// `webhook`, `log` …
    public var kind: String
    /// Where outcomes go: a URL without its query, or a path.
    public var target: String?
    /// `completed`, `failed`, `cancelled`, or some of them, in this order.
    public var types: [String]
    public var origin = Origin.configuration
    /// When the delegate was registered, and changed last; nil for one of the configuration.
    public var createdAt: Date?
    public var changedAt: Date?
    /// The delegate gets outcomes of jobs in these queues alone; empty for all. The three below likewise.
    public var queues: [String] = []
    public var destinations: [String] = []
    public var batches: [String] = []
    public var metadata: [String: String] = [:]
    /// The identifier of the app that registered the delegate and whose jobs alone it serves.
    public var client: String?
    /// The sources of the fields that the delegate gets, by its names for them; nil where it gets whole outcomes.
    public var fields: [String: String]?
    public var ordered = false
    /// Deliveries at once at most.
    public var concurrency: Int?
    public var timeoutSeconds: TimeInterval?
    /// `structured` or `binary`; nil for all but a webhook.
    public var mode: String?
    /// Whether a secret signs the deliveries.
    public var hasSecret = false
    /// Until when a secret that was replaced signs as well.
    public var oldSecretUntil: Date?
    /// Why the delegate is not served; nil if it is.
    public var problem: String?
    /// Whether a delegate of this name is registered too: it is kept, and not served.
    public var hidesRegistered = false

    public init(name: String, kind: String, target: String? = nil, types: [String]) {
        self.name = name
        self.kind = kind
        self.target = target
        self.types = types
    }
}

extension DelegateSummary {
    init(_ configuration: DelegateConfiguration, concurrency: Int) {
        let kind = configuration.kind.configuration
        self.init(
            name: configuration.name, kind: type(of: kind).kindName,
            types: EventKind.allCases.filter(configuration.types.contains).map(\.rawValue))
        queues = configuration.filter.queues.sorted()
        destinations = configuration.filter.destinations.sorted()
        batches = configuration.filter.batches.sorted().map(\.text)
        metadata = configuration.filter.metadata
        client = configuration.filter.client
        fields = configuration.mapping?.texts
        ordered = configuration.isOrdered
        self.concurrency = concurrency
        kind.describe(in: &self)
    }
}

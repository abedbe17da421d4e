public import Foundation
import Uploads

/// A delegate as it is shown: its definition without its secrets.
public struct DelegateSummary: Codable, Hashable, Sendable {
    /// Where its definition is kept.
    public enum Origin: String, Codable, Sendable {
        /// The notifier's configuration, which alone can change it.
        case configuration
        /// The ledger: it was registered at run time.
        case registration
    }

    public var name: String
    /// `webhook`, `log` …
    public var kind: String
    /// Where it is told: a URL without its query, a path.
    public var target: String?
    /// `completed`, `failed`, `cancelled`, or some of them, in this order.
    public var types: [String]
    public var origin = Origin.configuration
    /// When it was registered, and changed last; nil for one of the configuration.
    public var createdAt: Date?
    public var changedAt: Date?
    /// Only jobs of these; empty for all.
    public var queues: [String] = []
    public var destinations: [String] = []
    public var batches: [String] = []
    public var metadata: [String: String] = [:]
    /// The identifier of the app whose managers it serves: only jobs of these.
    public var client: String?
    /// Sources by the names that the receiver knows; nil where it gets everything as it is.
    public var fields: [String: String]?
    public var ordered = false
    /// Deliveries at once at most.
    public var concurrency: Int?
    public var timeoutSeconds: TimeInterval?
    /// `structured` or `binary`, of a webhook.
    public var mode: String?
    /// Whether a secret signs what it gets.
    public var hasSecret = false
    /// Until when a secret that was replaced signs as well.
    public var oldSecretUntil: Date?
    /// Why it is not served; nil if it is.
    public var problem: String?
    /// Whether one of the same name is registered, which is kept and not served.
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

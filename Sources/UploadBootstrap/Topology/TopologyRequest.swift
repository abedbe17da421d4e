public import Uploads

/// A request of `uploadctl topology`.
public struct TopologyRequest: Hashable, Sendable {
    public enum Verb: Hashable, Sendable {
        case show
        /// Prints only the objects that are missing or different.
        case check
        /// - Parameter isPrinted: prints the definitions for an import into the broker, and declares nothing.
        case declare(isPrinted: Bool)
        /// Moves the namespace from the objects of an earlier version to those of this one.
        case migrate
        /// - Parameters:
        ///   - discardsMessages: deletes queues even if messages wait in them.
        ///   - isConfirmed: skips the question to the operator.
        case delete(discardsMessages: Bool, isConfirmed: Bool)
    }

    public var verb: Verb
    /// Transfer queues besides those of the configuration.
    public var queues: [QueueName]
    /// Queue delegates besides those of the configuration.
    public var delegates: [String]
    public var format: OutputFormat
    /// Whether the table has a head.
    public var printsHead: Bool
}

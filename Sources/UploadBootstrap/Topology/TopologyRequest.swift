public import Uploads

/// What `uploadctl topology` does.
public struct TopologyRequest: Hashable, Sendable {
    public enum Verb: Hashable, Sendable {
        case show
        /// Names only what is not as it should be.
        case check
        /// - Parameter isPrinted: only prints definitions that the broker can import.
        case declare(isPrinted: Bool)
        /// - Parameters:
        ///   - discardsMessages: deletes queues though messages wait in them.
        ///   - isConfirmed: nobody is asked.
        case delete(discardsMessages: Bool, isConfirmed: Bool)
    }

    public var verb: Verb
    /// Transfer queues besides those of the configuration.
    public var queues: [QueueName]
    /// Queue delegates besides those of the configuration.
    public var delegates: [String]
    public var printsJSON: Bool
}

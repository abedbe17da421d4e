/// Why the message of a job or a baton ended among the dead letters.
public enum DeathCause: Hashable, Codable, Sendable {
    /// There was no lane for it: no program has declared its transfer queue, or an operator has deleted it.
    case noLane
    /// It was in the queue for longer than a policy (`message-ttl`) allows.
    case expired(queue: String)
    /// It had to make room: a policy (`max-length`, with an overflow that drops) limits the queue.
    case overflowed(queue: String)
    /// It was delivered as often as the lane allows, and never settled.
    case deliveryLimit
    /// A worker set it aside, or the broker gave it up, for another reason.
    case other(String)

    /// The reason for the ledger's record, as the end of a sentence: what happened and, where an operator can help,
    /// how.
    public var reason: String {
        switch self {
        case .noLane: "no lane takes it: its transfer queue does not exist"
        case .expired(let queue): Self.reason(queue, "message-ttl")
        case .overflowed(let queue): Self.reason(queue, "max-length")
        case .deliveryLimit: "the broker delivered it as often as its lane allows, and no worker settled it"
        case .other(let reason): reason
        }
    }

    /// AMQP does not say a policy's name.
    private static func reason(_ queue: String, _ key: String) -> String {
        """
        the broker dropped the job's message from queue '\(queue)', because a policy sets \(key) there; \
        'rabbitmqctl list_policies' shows its name, 'rabbitmqctl clear_policy NAME' removes it
        """
    }

    /// Whether a policy on the broker made it drop the message.
    public var isPolicy: Bool {
        switch self {
        case .expired, .overflowed: true
        case .noLane, .deliveryLimit, .other: false
        }
    }
}

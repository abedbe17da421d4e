/// What the connection's thread knows of one channel. Belongs to that thread.
final class ChannelSlot {
    /// A method to be sent, one at a time for a channel, and what to do with the answer.
    struct Request {
        var method: Method
        var finish: (Result<Frame.Answer, RabbitMQError>) -> Void
    }

    enum Phase {
        /// No connection, or it is not this channel's turn yet.
        case idle
        /// Being opened: only `setup` is sent.
        case opening
        case open
    }

    /// A consumer, and what has come for it since the last hand-over to its reader.
    final class Consuming {
        let core: ConsumerCore
        var batch: [Delivery] = []
        init(_ core: ConsumerCore) { self.core = core }
    }

    struct Closing {
        var deadline: ContinuousClock.Instant
        var promises: [Promise<Void>] = []
        var isCloseAsked = false
    }

    let id: UInt64
    let number: UInt16
    var phase = Phase.idle
    /// Distinguishes one opening from the next: delivery tags begin anew with each.
    var incarnation: UInt64 = 0

    /// What is under way, and whether it has been sent.
    var current: Request?
    var isCurrentSent = false
    var setup = FIFO<Request>()
    var requests = FIFO<Request>()

    var confirms = ConfirmWindow<PublishRequest>()
    /// Publishes that wait until the channel is open again, in order.
    var waiting: [PublishRequest] = []
    /// How many of this channel's publishes have not begun to be sent.
    var queuedPublishes = 0

    var acknowledgements = AcknowledgementWindow()
    var assembler = ContentAssembler()
    var consumers: [String: Consuming] = [:]
    /// The tags of consumers that are being started.
    var starting: Set<String> = []
    var closing: Closing?
    /// Who waits for the channel to be opened for the first time.
    var opened: Promise<Void>?
    /// Whether it exists only to declare or delete, and what it has still to do then.
    let isInternal: Bool
    var script: Script?
    /// Whether a new connection waits for this channel.
    var isRestoring = false
    /// Whether it stands in the driver's list of slots with something to send.
    var isListed = false

    init(id: UInt64, number: UInt16, isInternal: Bool) {
        self.isInternal = isInternal
        self.id = id
        self.number = number
    }

    /// The next request to send, if its turn has come.
    func takeNext() -> Request? {
        guard current == nil else { return nil }
        switch phase {
        case .idle: return nil
        case .opening: return setup.popFirst()
        case .open: return requests.popFirst()
        }
    }

    /// All that nobody will answer any more: what was sent, and what was not.
    func takeRequests() -> (sent: Request?, unsent: [Request]) {
        defer {
            current = nil
            isCurrentSent = false
        }
        let unsent = setup.removeAll() + requests.removeAll()
        if isCurrentSent { return (current, unsent) }
        return (nil, (current.map { [$0] } ?? []) + unsent)
    }
}

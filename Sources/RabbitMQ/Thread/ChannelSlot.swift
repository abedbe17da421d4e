/// What the connection's thread knows of one channel. Belongs to that thread.
final class ChannelSlot {
    /// A method to be sent, and what to do with the answer.
    final class Request {
        let method: Method
        /// Sent just before it: a prefetch counts for the consumers that begin behind it.
        let preface: Method?
        /// Whether it belongs to opening the channel, and is made anew when the channel is opened again.
        let isSetup: Bool
        let finish: (Result<Frame.Answer, RabbitMQError>) -> Void

        init(
            _ method: Method, preface: Method? = nil, isSetup: Bool = false,
            finish: @escaping (Result<Frame.Answer, RabbitMQError>) -> Void
        ) {
            self.method = method
            self.preface = preface
            self.isSetup = isSetup
            self.finish = finish
        }
    }

    /// A method that was sent and is not answered yet. The broker works on the methods of a channel, and answers them, in
    /// their order (AMQP 0-9-1, section 4.7), so that none need wait until the one before is answered. Not so behind some:
    /// see ``Method/holdsBackOthers``.
    struct Awaited {
        var method: Method
        var request: Request
        var isPreface: Bool
    }

    enum Phase {
        /// No connection, or it is not this channel's turn yet.
        case idle
        /// Being opened: publishes wait, methods follow behind those of `setup`.
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

    /// What was sent and is not answered yet.
    var awaited = FIFO<Awaited>()
    /// What opens the channel and makes it as it was, and how much of that is not answered yet.
    var setup = FIFO<Request>()
    var setupLeft = 0
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

    /// Whether there is a method to send now.
    var hasRequest: Bool {
        guard phase != .idle, !(setup.isEmpty && requests.isEmpty) else { return false }
        return awaited.last?.method.holdsBackOthers != true
    }

    /// The next request to send now.
    func takeNext() -> Request? { hasRequest ? setup.popFirst() ?? requests.popFirst() : nil }

    /// All that will not be answered any more: what was sent, and what was not.
    func takeRequests() -> (sent: [Request], unsent: [Request]) {
        let sent = awaited.removeAll().filter { !$0.isPreface }.map(\.request)
        return (sent, setup.removeAll() + requests.removeAll())
    }

    /// The broker closed the channel: of what it had not answered it worked on the first at most. The others are to be sent
    /// again once the channel is open, but for those that open it.
    /// - Returns: the first.
    func takeBackUnanswered() -> Awaited? {
        let unanswered = awaited.removeAll()
        let first = unanswered.first
        requests.prepend(
            unanswered.filter { !$0.isPreface && !$0.request.isSetup && $0.request !== first?.request }.map(\.request))
        return first
    }
}

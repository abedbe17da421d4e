/// The state of one channel. Belongs to the connection's thread.
final class ChannelSlot {
    /// A method to send, and the handler of its answer.
    final class Request {
        let method: Method
        /// Sent just before the method: a prefetch applies to the consumers that begin behind it.
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

    /// A method that was sent and is not answered yet. The broker processes and answers the methods of a channel in
    /// their order (AMQP 0-9-1, section 4.7), so the next method need not wait for the answer. Some methods are
    /// exceptions: see ``Method/holdsBackOthers``.
    struct Awaited {
        var method: Method
        var request: Request
        var isPreface: Bool
    }

    enum Phase {
        /// No connection, or the channel's turn to be opened has not come.
        case idle
        /// Being opened: publishes wait, methods follow behind those of `setup`.
        case opening
        case open
    }

    /// A consumer, and its deliveries since the last hand-over to its reader.
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

    /// The methods that were sent and are not answered yet.
    var awaited = FIFO<Awaited>()
    /// The requests that open and restore the channel, and how many of them are not answered yet.
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
    /// The wait for the channel's first opening.
    var opened: Promise<Void>?
    /// Whether the channel exists only for a script, and the script's remaining steps.
    let isInternal: Bool
    var script: Script?
    /// Whether a new connection waits for this channel.
    var isRestoring = false
    /// Whether the driver's list of slots with something to send holds it.
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

    /// All requests that will not be answered any more: those that were sent, and those that were not.
    func takeRequests() -> (sent: [Request], unsent: [Request]) {
        let sent = awaited.removeAll().filter { !$0.isPreface }.map(\.request)
        return (sent, setup.removeAll() + requests.removeAll())
    }

    /// Takes back unanswered requests after the broker closed the channel. The broker processed at most the first of
    /// them. The others are sent again once the channel is open, except those that open it.
    /// - Returns: the first.
    func takeBackUnanswered() -> Awaited? {
        let unanswered = awaited.removeAll()
        let first = unanswered.first
        requests.prepend(
            unanswered.filter { !$0.isPreface && !$0.request.isSetup && $0.request !== first?.request }.map(\.request))
        return first
    }
}

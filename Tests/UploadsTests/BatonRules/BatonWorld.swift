import Uploads

/// A broker, two workers, a notifier and a destination with one job, as a value: each step of any of them makes another
/// value.
///
/// The machines of production decide (``RuleBook``). The world only does what their drivers do: it delivers, publishes,
/// asks the destination, and breaks.
struct BatonWorld {
    /// How many faults and orders may still come.
    struct Budget: Hashable {
        /// Workers that die or lose the connection that delivered, notifiers that die.
        var crashes: Int8
        /// Publications whose confirm is lost.
        var confirms: Int8
        /// Answers of the destination that are lost, and refusals.
        var answers: Int8
        var verbs: Int8
        /// Workers that are asked to stop.
        var drains: Int8 = 0
        /// Notifiers that stand still until another one has taken over, and then go on with what they believe to be theirs.
        var takeovers: Int8 = 0
        /// Messages that the broker drops from a lane, because of a policy, and hands to the notifier as dead letters.
        var losses: Int8 = 0
        /// Producers that die while they copy.
        var producers: Int8 = 0
    }

    /// A message in a lane or on the ladder.
    struct Parcel: Hashable {
        enum Wait: Int32 {
            case none
            /// Until the lock on the staged copy is free.
            case lock
            /// Longer than a worker that has not read the log takes to read it, and to finish its step.
            case settling
            /// Until the pause no longer holds.
            case pause
            /// Until the first part is in the copy.
            case firstPart
            /// Until the copy has its seal, or its producer is dead.
            case seal
            /// For a producer that is dead: nothing ends it.
            case dead
        }

        var baton: Int32
        var isRedelivered = false
        var isFlagged = false
        var wait = Wait.none
    }

    struct Held: Hashable {
        enum Phase: Hashable {
            /// A suspect: to be passed to the notifier, then acknowledged.
            case passing(isTold: Bool)
            case working(machine: Int32, asked: [Int32])
            case settling(plan: Int32, stage: Int, done: Int)
        }

        var baton: Int32
        var phase: Phase
        /// The broker gave the delivery to another worker; this one goes on until it learns of that.
        var isCutOff = false
        var hasLock = false
        /// Whether a session of one request writes only where nothing lies.
        var writesIfAbsent = false
        /// The open session, 0 for a session of one request.
        var session = 0
        /// What the slice found out that its next part waits for.
        var awaited = Parcel.Wait.none
    }

    struct Worker: Hashable {
        /// How far it has read the control log.
        var seen = 0
        var held: Held?
    }

    struct Notifier: Hashable {
        /// The ledger's rows.
        var ledger: Int32
        /// Noted in the ledger, not struck off.
        var owed: [Int32] = []
        var published = 0
        /// Whether the head of its queue is decided and not acknowledged.
        var isHandling = false
        /// Whether that is the head of the dead letters.
        var isHandlingDead = false
        var isOrderDone = false
        var markers = 0
    }

    /// The staged copy.
    enum Copy: Hashable {
        case removed
        /// So many parts are in it, of those before the last one: that one is sent with the seal only.
        case growing(Int32)
        /// The producer died before it was complete.
        case abandoned
        case sealed

        var word: Int32 {
            switch self {
            case .removed: 0
            case .sealed: 1
            case .abandoned: 2
            case .growing(let parts): 3 + parts
            }
        }
    }

    /// A multipart session: the parts that it holds.
    struct Session: Hashable {
        var parts: Int32 = 0
        var isOpen = true
    }

    static let partCount = 2

    let book: RuleBook
    let mutation: Mutation?
    let isStaged: Bool
    /// Whether the staging area has locks; one in a bucket has none.
    let locks: Bool
    var budget: Budget

    var lane: [Parcel]
    var queue: [Int32]
    /// Dead letters: the notifier reads them beside its queue, so that they and the workers' events come in any order.
    var dead: [Int32] = []
    /// The control log as the views after each entry, from the oldest one that a worker has not read beyond.
    var log: [Int32]
    var workers = [Worker(), Worker()]
    var notifier: Notifier
    /// What a notifier still publishes that stood still and has lost its shard.
    var overtaken: [Int32] = []

    var sessions: [Session] = []
    var hasObject = false
    var copy = Copy.sealed
    var hasCopy: Bool { copy != .removed }
    /// Whether an object was made of a copy without its seal.
    var madeOfUnsealed = false
    /// Parts that were sent although a session held them.
    var partsResent = 0
    /// Round by round a bit for each kind of outcome that was published.
    var told: [Int32] = [0]
    /// Faults and orders so far: they bound what may be sent again or left over.
    var disturbances = 0
    /// What an operator may order.
    let verbs: [Verb]
    /// Whether the turn of a job in a serial line may come.
    let hasTurn: Bool
    private let first: Budget

    /// Orders so far.
    var orders: Int { Int(first.verbs - budget.verbs) }
    /// Whether the broker has dropped a message.
    var hasLost: Bool { first.losses > budget.losses }

    init(
        _ book: RuleBook, budget: Budget, verbs: [Verb] = Verb.allCases, hasTurn: Bool = true,
        isProducerInDoubt: Bool = false, copied: Int32? = nil, locks: Bool = true, mutation: Mutation? = nil
    ) {
        self.book = book
        self.budget = budget
        self.mutation = mutation
        self.verbs = verbs
        self.hasTurn = hasTurn
        self.locks = locks
        first = budget
        if case .staged = book.order.source { isStaged = true } else { isStaged = false }
        let baton = book.batons.number(of: Baton(job: book.order))
        // A job of a serial line is published to the notifier alone.
        let isSerial = book.order.serial != nil
        lane = isSerial ? [] : [Parcel(baton: baton)]
        queue = [book.news.number(of: .message(.job(book.order, maybeRepeated: false)))]
        log = [book.views.number(of: ControlView())]
        notifier = Notifier(ledger: book.ledgers.number(of: book.emptyLedger))
        if let copied { copy = .growing(copied) }
        if isProducerInDoubt {
            disturbances = 1
            if !isSerial { lane.append(Parcel(baton: baton, isFlagged: true)) }
            queue.append(book.news.number(of: .message(.job(book.order, maybeRepeated: true))))
        }
    }

    var head: Int32 { log[log.count - 1] }

    func view(of worker: Int) -> Int32 { log[workers[worker].seen] }

    // MARK: As a key

    /// Two worlds with the same key have the same future. It makes no difference which worker is which, nor in which
    /// order a lane has its messages, because any worker may take any of them.
    var key: Key {
        var words: [Int32] = []
        words.reserveCapacity(48)
        words.append(
            Int32(budget.crashes) << 24 | Int32(budget.confirms) << 16 | Int32(budget.answers) << 8
                | Int32(budget.verbs))
        words.append(
            (hasObject ? 1 : 0) | (madeOfUnsealed ? 2 : 0) | (notifier.isHandling ? 4 : 0)
                | (notifier.isOrderDone ? 8 : 0)
                | Int32(partsResent) << 8 | Int32(disturbances) << 16)
        words.append(copy.word | Int32(budget.producers) << 8)
        words.append(notifier.ledger << 4 | Int32(budget.drains) << 2 | Int32(budget.losses))
        words.append(Int32(dead.count) | (notifier.isHandlingDead ? 256 : 0))
        words += dead
        words.append(Int32(notifier.published) | Int32(notifier.markers) << 8 | Int32(notifier.owed.count) << 16)
        words += notifier.owed
        words.append(Int32(overtaken.count) << 8 | Int32(budget.takeovers))
        words += overtaken
        words.append(
            Int32(lane.count) | Int32(queue.count) << 8 | Int32(log.count) << 16 | Int32(sessions.count) << 24)
        words += lane.map(\.word).sorted()
        words += queue
        words += log
        for session in sessions { words.append(session.parts | (session.isOpen ? 256 : 0)) }
        words += told
        let a = workers[0].words
        let b = workers[1].words
        words += a.lexicographicallyPrecedes(b) ? a + b : b + a
        return Key(words: words)
    }

    struct Key: Hashable {
        let words: [Int32]

        func hash(into hasher: inout Hasher) {
            words.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}

extension BatonWorld.Parcel {
    fileprivate var word: Int32 {
        baton << 5 | wait.rawValue << 2 | (isRedelivered ? 1 : 0) | (isFlagged ? 2 : 0)
    }
}

extension BatonWorld.Worker {
    fileprivate var words: [Int32] {
        guard let held else { return [-1 - Int32(seen)] }
        let bits =
            (held.isCutOff ? 1 : 0) | (held.hasLock ? 2 : 0) | (held.writesIfAbsent ? 4 : 0) | held.session << 4 | seen
            << 12 | Int(held.awaited.rawValue) << 20
        var words = [Int32(bits), held.baton]
        switch held.phase {
        case .passing(let isTold): words.append(isTold ? -2 : -1)
        case .working(let machine, let asked):
            words.append(machine)
            words.append(Int32(asked.count))
            words += asked
        case .settling(let plan, let stage, let done):
            words.append(-3)
            words.append(plan << 8 | Int32(stage) << 4 | Int32(done))
        }
        return words
    }
}

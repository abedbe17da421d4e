public import Foundation

/// What the ledger knows of one job: its state by the recorded events, and what the notifier has noted to do.
public struct LedgerJob: Codable, Hashable, Sendable {
    /// The newest reported baton of the current generation, with the order as complete as the ledger knows it.
    public var baton: Baton
    /// Whether `baton.job` is the whole order. Events show it redacted; only a whole one can be issued.
    public var isWhole: Bool
    public var status: LedgerStatus
    /// When the status was reported.
    public var since: Date
    /// `waiting`, `paused`: until when at most.
    public var waitingUntil: Date?
    /// `waiting`: the label of the wait reason.
    public var reason: String?
    /// `waiting`: what stands in its way, in its worker's words, cut to ``FailureRecord/messageCodePointsMaximum``.
    public var trouble: String?
    /// Whether a worker has published `started` for the current slice. Events may overtake each other, and an earlier
    /// one must not turn the job back.
    public var isSliceStarted: Bool
    /// A noted wish whose marker has not been read back yet.
    @Boxed public var wish: IssueWish?
    /// The state with which the current generation began.
    @Boxed public var initialState: UploadState?
    /// The bytes that had been sent when the current generation began.
    public var initialBytesSent: Int64
    /// Whether the current generation has handed on a new state.
    public var hasProgressed: Bool
    /// How many generations in a row, without progress, became suspect in a slice that a worker had begun.
    public var poisonCount: Int
    /// Whether the round is being cancelled: sticks until it ends.
    public var isCancelling: Bool
    /// The generation up to which the job is paused.
    public var pausedThrough: Int?
    /// Its phase in the serial line of its queue; nil for a job of no line, and once it has left its line.
    public var line: LinePhase?
    /// Set if the broker has lost its message, and the notifier issues it anew after a pause.
    public var hold: IssueHold?
    /// How often the broker gave its message up; nil: never since a worker last reported on the job.
    public var drops: DropTally?
    /// The round's outcome, once it has one.
    @Boxed public var end: RoundEnd?
    /// The last orders of operators that it has obeyed, the oldest first; at most ``JobOrder/countMaximum``.
    public var orders: [JobOrder]
    /// When its names, metadata, answers and errors were taken out (``forgotten(at:)``); nil while the ledger has them.
    public var forgottenAt: Date?

    /// A job that the ledger has just learned of.
    public init(_ baton: Baton, isWhole: Bool, at time: Date) {
        self.baton = baton
        self.baton.onlyRemovesCopy = false
        self.isWhole = isWhole
        self.status = .queued
        self.since = time
        self.waitingUntil = nil
        self.reason = nil
        self.trouble = nil
        self.isSliceStarted = false
        self.wish = nil
        self.initialState = baton.state
        self.initialBytesSent = baton.bytesSent
        self.hasProgressed = false
        self.poisonCount = 0
        self.isCancelling = baton.isCancel
        self.pausedThrough = nil
        // A baton that a worker reports was issued before.
        self.line = baton.job.serial == nil || baton.isCancel ? nil : .released
        self.hold = nil
        self.drops = nil
        self.end = nil
        self.orders = []
        self.forgottenAt = nil
    }

    /// A field with its default is left out. The bounds are those of messages: a row may be damaged, and what is made of it goes into messages.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        baton = try container.decode(Baton.self, forKey: .baton)
        isWhole = try container.decodeIfPresent(Bool.self, forKey: .isWhole) ?? false
        status = try container.decode(LedgerStatus.self, forKey: .status)
        since = try container.decode(Date.self, forKey: .since)
        waitingUntil = try container.decodeIfPresent(Date.self, forKey: .waitingUntil)
        reason = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .reason)
        trouble = try container.decodeTextIfPresent(
            atMost: FailureRecord.messageCodePointsMaximum, forKey: .trouble)
        isSliceStarted = try container.decodeIfPresent(Bool.self, forKey: .isSliceStarted) ?? false
        wish = try container.decodeIfPresent(IssueWish.self, forKey: .wish)
        initialState = try container.decodeIfPresent(UploadState.self, forKey: .initialState)
        initialBytesSent =
            try container.decodeIfPresent(0...WireLimits.bytesSentMaximum, forKey: .initialBytesSent) ?? 0
        hasProgressed = try container.decodeIfPresent(Bool.self, forKey: .hasProgressed) ?? false
        poisonCount = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .poisonCount) ?? 0
        isCancelling = try container.decodeIfPresent(Bool.self, forKey: .isCancelling) ?? false
        pausedThrough = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .pausedThrough)
        line = try container.decodeIfPresent(LinePhase.self, forKey: .line)
        hold = try container.decodeIfPresent(IssueHold.self, forKey: .hold)
        drops = try container.decodeIfPresent(DropTally.self, forKey: .drops)
        end = try container.decodeIfPresent(RoundEnd.self, forKey: .end)
        orders =
            container.contains(.orders)
            ? try container.decodeList(of: JobOrder.self, atMost: JobOrder.countMaximum, forKey: .orders) : []
        forgottenAt = try container.decodeIfPresent(Date.self, forKey: .forgottenAt)
    }

    private enum CodingKeys: String, CodingKey {
        case baton, isWhole, status, since, waitingUntil, reason, trouble, isSliceStarted, wish, initialState
        case initialBytesSent, hasProgressed, poisonCount, isCancelling, pausedThrough, line, hold, drops, end
        case orders, forgottenAt
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // In the order in which they are written.
        try container.encode(baton, forKey: .baton)
        try container.encodeIfPresent(drops, forKey: .drops)
        try container.encodeIfPresent(end, forKey: .end)
        try container.encodeIfPresent(forgottenAt, forKey: .forgottenAt)
        if hasProgressed { try container.encode(true, forKey: .hasProgressed) }
        try container.encodeIfPresent(hold, forKey: .hold)
        if initialBytesSent != 0 { try container.encode(initialBytesSent, forKey: .initialBytesSent) }
        try container.encodeIfPresent(initialState, forKey: .initialState)
        if isCancelling { try container.encode(true, forKey: .isCancelling) }
        if isSliceStarted { try container.encode(true, forKey: .isSliceStarted) }
        if isWhole { try container.encode(true, forKey: .isWhole) }
        try container.encodeIfPresent(line, forKey: .line)
        if !orders.isEmpty { try container.encode(orders, forKey: .orders) }
        try container.encodeIfPresent(pausedThrough, forKey: .pausedThrough)
        if poisonCount != 0 { try container.encode(poisonCount, forKey: .poisonCount) }
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encode(since, forKey: .since)
        try container.encode(status, forKey: .status)
        try container.encodeIfPresent(trouble, forKey: .trouble)
        try container.encodeIfPresent(waitingUntil, forKey: .waitingUntil)
        try container.encodeIfPresent(wish, forKey: .wish)
    }

    public var id: JobID { baton.job.id }
    public var round: Int { baton.round }
    public var generation: Int { baton.generation }

    /// Why it failed; `unknown` for a failed job that no event gave a reason for. nil for a job that has not failed.
    public var failureCode: UploadError.Code? { status == .failed ? end?.error?.code ?? .unknown : nil }

    /// Whether an operator's pause holds for the current generation.
    public var isPaused: Bool { (pausedThrough ?? 0) >= generation }
}

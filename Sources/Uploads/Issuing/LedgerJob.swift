public import Foundation

/// What the ledger knows of one job: a view of what was told, and what the notifier has noted to do.
public struct LedgerJob: Codable, Hashable, Sendable {
    /// The newest baton of the current generation that was told of, with the job as whole as it is known.
    public var baton: Baton
    /// Whether `baton.job` is the whole order. Events show it redacted; only a whole one can be issued.
    public var isWhole: Bool
    public var status: LedgerStatus
    /// When the status was told.
    public var since: Date
    /// `waiting`, `paused`: until when at most.
    public var waitingUntil: Date?
    /// `waiting`: the wait reason's word.
    public var reason: String?
    /// `waiting`: what stands in its way, as its worker said it, cut to ``FailureRecord/messageCodePointsMaximum``.
    public var trouble: String?
    /// How far the current slice is known to have come, so that news which overtook each other do not turn it back.
    public var isSliceStarted: Bool
    /// Noted, its marker awaited.
    public var wish: IssueWish?
    /// The state with which the current generation began.
    public var initialState: UploadState?
    /// The bytes that had been sent when the current generation began.
    public var initialBytesSent: Int64
    /// Whether the current generation has handed on a new state.
    public var hasProgressed: Bool
    /// Generations in a row of which a worker had begun the slice that became suspect, without progress.
    public var poisonCount: Int
    /// Whether the round is being cancelled: sticks until it ends.
    public var isCancelling: Bool
    /// The generation up to which the job is paused.
    public var pausedThrough: Int?
    /// How it stands in the serial line of its queue; nil for a job of no line, and once it has left its line.
    public var line: LinePhase?
    /// The broker has lost its message, and the notifier issues it anew in a while.
    public var hold: IssueHold?
    /// nil: nothing was given up since a worker last told of the job.
    public var drops: DropTally?
    /// The round's outcome, once it has one.
    public var end: RoundEnd?
    /// When its names, metadata, answers and errors were taken out (``forgotten(at:)``); nil while the ledger has them.
    public var forgottenAt: Date?

    /// A job that was just heard of.
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
        // Whoever tells of a baton tells of one that was issued.
        self.line = baton.job.serial == nil || baton.isCancel ? nil : .released
        self.hold = nil
        self.drops = nil
        self.end = nil
        self.forgottenAt = nil
    }

    /// The bounds are those of messages: a row may be damaged, and what is made of it goes into messages.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        baton = try container.decode(Baton.self, forKey: .baton)
        isWhole = try container.decode(Bool.self, forKey: .isWhole)
        status = try container.decode(LedgerStatus.self, forKey: .status)
        since = try container.decode(Date.self, forKey: .since)
        waitingUntil = try container.decodeIfPresent(Date.self, forKey: .waitingUntil)
        reason = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .reason)
        trouble = try container.decodeTextIfPresent(
            atMost: FailureRecord.messageCodePointsMaximum, forKey: .trouble)
        isSliceStarted = try container.decode(Bool.self, forKey: .isSliceStarted)
        wish = try container.decodeIfPresent(IssueWish.self, forKey: .wish)
        initialState = try container.decodeIfPresent(UploadState.self, forKey: .initialState)
        initialBytesSent = try container.decode(0...WireLimits.bytesSentMaximum, forKey: .initialBytesSent)
        hasProgressed = try container.decode(Bool.self, forKey: .hasProgressed)
        poisonCount = try container.decode(0...WireLimits.countMaximum, forKey: .poisonCount)
        isCancelling = try container.decode(Bool.self, forKey: .isCancelling)
        pausedThrough = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .pausedThrough)
        line = try container.decodeIfPresent(LinePhase.self, forKey: .line)
        hold = try container.decodeIfPresent(IssueHold.self, forKey: .hold)
        drops = try container.decodeIfPresent(DropTally.self, forKey: .drops)
        end = try container.decodeIfPresent(RoundEnd.self, forKey: .end)
        forgottenAt = try container.decodeIfPresent(Date.self, forKey: .forgottenAt)
    }

    public var id: JobID { baton.job.id }
    public var round: Int { baton.round }
    public var generation: Int { baton.generation }

    /// Whether an operator's pause holds for the current generation.
    public var isPaused: Bool { (pausedThrough ?? 0) >= generation }
}

public import Foundation

/// The state of a job in the ledger: the notifier's answer to an order to `ask`.
///
/// Round, generation, slice and ``isSliceStarted`` say which event of the job the ledger recorded last, so that a
/// program that has read a later event keeps to that one.
public struct JobReport: Codable, Hashable, Sendable {
    /// Characters of ``reason``. An answer about 1000 jobs has to fit into a message.
    public static let reasonLengthMaximum = 100

    public var status: LedgerStatus
    public var round: Int
    public var generation: Int
    public var slice: Int
    /// Whether a worker has published `started` for this slice.
    public var isSliceStarted: Bool
    /// Whether it is being cancelled and has not ended.
    public var isCancelling: Bool
    /// Bytes; nil for a source object that no worker has looked at yet.
    public var size: Int64?
    /// `running`: bytes of the file that the destination holds, if the worker has reported it within the last minute.
    public private(set) var bytesDone: Int64?
    /// `running`: averaged over the worker's last reports.
    public private(set) var bytesPerSecond: Double?
    /// `running`: when the worker reported it, by the worker's clock.
    public private(set) var progressAt: Date?
    /// `waiting`, `paused`: until when at most.
    public var waitingUntil: Date?
    /// `waiting`: the label of the wait reason, cut to ``reasonLengthMaximum``.
    public private(set) var reason: String?
    /// `waiting`: what stands in its way, cut to ``FailureRecord/messageCodePointsMaximum``.
    public private(set) var trouble: String?
    /// The code of ``trouble``, where that is the job's last failure.
    public private(set) var code: UploadError.Code?

    public init(_ known: LedgerJob) {
        status = known.status
        round = known.round
        generation = known.generation
        slice = known.baton.slice
        isSliceStarted = known.isSliceStarted
        isCancelling = known.isCancelling && known.end == nil
        size = known.baton.job.isExamined ? known.baton.job.size : nil
        waitingUntil = known.waitingUntil
        reason = known.reason?.codePointPrefix(Self.reasonLengthMaximum)
        trouble = known.trouble
        code = known.baton.failures.last.flatMap { failure in
            known.trouble.map { failure.message.isExactly($0) } == true ? failure.code : nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(LedgerStatus.self, forKey: .status)
        round = try container.decode(1...WireLimits.countMaximum, forKey: .round)
        generation = try container.decode(1...WireLimits.countMaximum, forKey: .generation)
        slice = try container.decode(0...WireLimits.countMaximum, forKey: .slice)
        isSliceStarted = try container.decode(Bool.self, forKey: .isSliceStarted)
        isCancelling = try container.decode(Bool.self, forKey: .isCancelling)
        size = try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .size)
        bytesDone = try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .bytesDone)
        bytesPerSecond = try container.decodeIfPresent(
            0...Double(WireLimits.bytesSentMaximum), forKey: .bytesPerSecond)
        progressAt = try container.decodeIfPresent(Date.self, forKey: .progressAt)
        waitingUntil = try container.decodeIfPresent(Date.self, forKey: .waitingUntil)
        reason = try container.decodeTextIfPresent(atMost: Self.reasonLengthMaximum, forKey: .reason)
        trouble = try container.decodeTextIfPresent(
            atMost: FailureRecord.messageCodePointsMaximum, forKey: .trouble)
        code = try container.decodeIfPresent(UploadError.Code.self, forKey: .code)
    }

    /// Adds the progress that the worker of a running job reported last.
    public mutating func note(bytesDone: Int64, bytesPerSecond: Double, at time: Date) {
        self.bytesDone = min(max(0, bytesDone), WireLimits.sizeMaximum)
        self.bytesPerSecond = bytesPerSecond > 0 ? min(bytesPerSecond, Double(WireLimits.bytesSentMaximum)) : 0
        progressAt = time
    }
}

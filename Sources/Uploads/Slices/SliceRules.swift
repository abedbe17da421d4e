public import Foundation

/// The limits and waits by which a ``SliceMachine`` decides.
public struct SliceRules: Hashable, Sendable {
    /// Parts in parallel of one job, 1 or more; the destination may allow fewer.
    public var parts: Int
    /// Milliseconds: the bounds of the jittered waits before a part is sent again, one for each time; after that the
    /// attempt counts as failed. So an attempt sends a part three times at most, and once if the failure concerns every
    /// job of the destination.
    public var partRetryMilliseconds: [Int]
    /// Milliseconds until a slice looks again for a part that is not in the staged copy yet: 20.
    public var copyPollMilliseconds: Int
    /// How often a slice looks again before it waits without a slot: 12 times, so that it holds no slot for a producer that copies less than
    /// a part in 240 ms.
    public var copyPollsMaximum: Int
    /// Milliseconds for the last answers once the worker's grace is used up: 2 s, less than the margin that the worker keeps for settling
    /// (`cutMargin`).
    public var lastAnswersMilliseconds: Int
    /// Seconds until a slice tries a locked staged copy again.
    public var lockedDelay: TimeInterval
    /// Seconds that a paused baton waits at a time: 1 hour.
    public var pauseDelay: TimeInterval
    /// Seconds: the first wait for a destination or staging area that this worker does not know; it doubles each time.
    public var idleDelay: TimeInterval
    /// Seconds: the longest of these waits.
    public var idleDelayMaximum: TimeInterval
    /// Seconds: the bound of the first wait for a destination that keeps failing; it doubles each time.
    public var circuitDelay: TimeInterval
    /// Seconds: the longest of these waits. Short, because a job may notice that late that the destination works again.
    public var circuitDelayMaximum: TimeInterval
    /// Seconds: the longest wait for a destination that is not done yet, unless the destination asks for more.
    public var notYetDelayMaximum: TimeInterval
    /// Seconds that a cancel without a lock waits before it asks what the destination holds: the longest silence of the
    /// control log (10 s) plus the longest step of a worker that has not read of the cancel yet.
    public var cancelSettleDelay: TimeInterval
    /// Seconds that a cancel waits for a worker that knows the job's destination: 5 minutes, in which each worker of the queue takes it.
    public var cancelPatience: TimeInterval
    /// How many times at most a slice makes the completing call while the condition of the call fails.
    public var completionsMaximum: Int
    /// How many sessions a slice opens at most, when they keep vanishing.
    public var openingsMaximum: Int
    /// After this many refusals the job itself is taken to be at fault, although the destination has served no other
    /// job in between.
    public var refusalsMaximum: Int

    /// Seconds for which the broker lets a worker hold a delivery; nil where nothing limits that. Error messages name
    /// it; the worker lets an uncut step take two thirds of it.
    public var consumerTimeout: TimeInterval?

    public init(parts: Int = 4) {
        self.parts = max(1, parts)
        self.partRetryMilliseconds = [250, 1000]
        self.copyPollMilliseconds = 20
        self.copyPollsMaximum = 12
        self.lastAnswersMilliseconds = 2000
        self.lockedDelay = 10
        self.pauseDelay = 3600
        self.idleDelay = 5
        self.idleDelayMaximum = 600
        self.circuitDelay = 2
        self.circuitDelayMaximum = 120
        self.notYetDelayMaximum = 120
        self.cancelSettleDelay = 70
        self.cancelPatience = 300
        self.completionsMaximum = 3
        self.openingsMaximum = 2
        self.refusalsMaximum = 3
    }

    /// The wait after this many idle waits, in seconds.
    public func idleDelay(after idleWaits: Int) -> TimeInterval {
        min(idleDelayMaximum, idleDelay * pow(2, Double(min(max(0, idleWaits), 30))))
    }

    /// The wait for more of a staged copy after this many idle waits, in seconds: from 1 to 5, a small part of the time that passed before.
    public func copyDelay(after idleWaits: Int) -> TimeInterval {
        min(5, pow(2, Double(min(max(0, idleWaits), 12) / 4)))
    }

    /// The wait for a worker whose clock is known to be right, after this many idle waits, in seconds: from 1 to 60.
    public func clockDelay(after idleWaits: Int) -> TimeInterval { min(60, pow(2, Double(min(max(0, idleWaits), 6)))) }

    /// The wait for a destination that asks to be asked again in `seconds` seconds, after this many idle waits.
    public func notYetDelay(_ seconds: TimeInterval, after idleWaits: Int) -> TimeInterval {
        // A NaN fails the comparison and becomes the shortest delay.
        let wished =
            seconds > RetryPolicy.delayMinimum ? min(seconds, RetryPolicy.retryAfterMaximum) : RetryPolicy.delayMinimum
        return max(wished, min(notYetDelayMaximum, wished * pow(2, Double(min(max(0, idleWaits), 30)))))
    }

    /// The bound of the wait for a failing destination after this many idle waits, in seconds.
    public func circuitDelay(after idleWaits: Int) -> TimeInterval {
        min(circuitDelayMaximum, circuitDelay * pow(2, Double(min(max(0, idleWaits), 30))))
    }
}

import Foundation
import Logging
import Synchronization
import Uploads

/// What comes at any time.
extension SliceRun {
    func watchLoss() async {
        var standing = await claimed.loss()
        guard !Task.isCancelled else { return }
        tell(.lost(standing))
        // A slice that is paused or stopped may still have an uncut step to finish; `loss` would return at once from now on.
        while standing == .paused || standing == .stopped {
            guard (try? await runner.clock.sleep(for: .seconds(1))) != nil else { return }
            let before = standing
            standing = await claimed.standing()
            if standing != before { tell(.lost(standing)) }
        }
    }

    func tellStartedInTime() async {
        guard (try? await runner.clock.sleep(for: runner.startedAfter)) != nil else { return }
        let (isTold, session) = open.withLock { open in
            defer { open.isStartedTold = true }
            return (open.isStartedTold, open.session)
        }
        guard !isTold else { return }
        do {
            var state = session?.state ?? baton.state
            state?.readBack = baton.state?.readBack
            try await claimed.started(state: state)
        } catch {
            runner.logger.debug(
                "The start of a slice was not confirmed",
                metadata: baton.logMetadata.merging(
                    [LogKeys.code: "\(error.code)"], uniquingKeysWith: { $1 }))
        }
    }

    /// Something else wants the slot: neither what the destination's limit holds up nor what does not move is waited for.
    func watchPreemption() async {
        var sent = meter.sent
        while (try? await runner.clock.sleep(for: .milliseconds(500))) != nil {
            let isHeldUp = open.withLock { $0.pace }?.holdsSomebodyUp ?? false
            if isHeldUp || meter.sent == sent { tell(.yieldOverdue) }
            sent = meter.sent
        }
    }

    /// One sleeper for all times of the slice.
    func watchTime() async {
        let configuration = runner.configuration
        var alarms: [(at: Duration, fact: SliceFact)] = [
            (configuration.slice, .sliceTimeReached), (configuration.uncutMaximum, .uncutTimeReached),
        ]
        alarms.sort { $0.at < $1.at }
        var elapsed = Duration.zero
        var nextReport = configuration.progressInterval
        var last = (at: runner.now(), done: Int64?.none)
        while true {
            let wake = min(nextReport, alarms.first?.at ?? nextReport)
            guard (try? await runner.clock.sleep(for: wake - elapsed)) != nil else { return }
            elapsed = wake
            while let alarm = alarms.first, alarm.at <= elapsed {
                alarms.removeFirst()
                tell(alarm.fact)
            }
            guard elapsed >= nextReport else { continue }
            nextReport = elapsed + configuration.progressInterval
            guard let done = meter.done else { continue }
            let now = runner.now()
            let seconds = now.timeIntervalSince(last.at)
            let rate = seconds > 0 ? max(0, Double(done - (last.done ?? done)) / seconds) : 0
            claimed.progress(bytesDone: done, bytesPerSecond: rate)
            last = (now, done)
        }
    }
}

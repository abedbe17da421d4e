import Foundation
import Logging
import Synchronization
import Uploads

/// Watches that may report a fact at any time: the loss of the baton, a preemption, the passing of time.
extension SliceRun {
    func watchLoss() async {
        var validity = await claimed.loss()
        guard !Task.isCancelled else { return }
        tell(.lost(validity))
        // A slice that is paused or stopped may still have an uncut step to finish; `loss` would return at once from now on.
        while validity == .paused || validity == .stopped {
            guard (try? await runner.clock.sleep(for: .seconds(1))) != nil else { return }
            let before = validity
            validity = await claimed.validity()
            if validity != before { tell(.lost(validity)) }
        }
    }

    func tellStartedInTime() async {
        // Rule 4: progress or poison. A slice that has run for a second publishes `started`.
        guard !baton.onlyRemovesCopy, (try? await runner.clock.sleep(for: runner.startedAfter)) != nil else { return }
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

    /// Another delivery wants the slot. The slice yields without waiting if the destination's limit holds it up or if no bytes move.
    func watchPreemption() async {
        var sent = meter.sent
        while (try? await runner.clock.sleep(for: .milliseconds(500))) != nil {
            let isHeldUp = open.withLock { $0.pace }?.hasWaitingSlices ?? false
            if isHeldUp || meter.sent == sent { tell(.yieldOverdue) }
            sent = meter.sent
        }
    }

    /// One task that sleeps for all times of the slice.
    func watchTime() async {
        let configuration = runner.configuration
        var alarms: [(at: Duration, fact: SliceFact)] = [(configuration.slice, .sliceTimeReached)]
        if let maximum = configuration.uncutMaximum { alarms.append((maximum, .uncutTimeReached)) }
        var forecast = configuration.uncutMaximum.map { UploadForecast(size: baton.job.size, end: $0) }
        alarms.sort { $0.at < $1.at }
        let elapsed = RateLimiter.stopwatch(runner.clock)
        var nextReport = configuration.progressInterval
        var last = (at: runner.now(), done: Int64?.none)
        while true {
            let wake = min(nextReport, alarms.first?.at ?? nextReport)
            guard (try? await runner.clock.sleep(for: max(.zero, wake - elapsed()))) != nil else { return }
            let elapsed = max(wake, elapsed())
            while let alarm = alarms.first, alarm.at <= elapsed {
                alarms.removeFirst()
                tell(alarm.fact)
            }
            guard elapsed >= nextReport else { continue }
            nextReport = elapsed + configuration.progressInterval
            guard let done = meter.done else { continue }
            if let late = forecast?.note(done, at: elapsed) {
                tell(.uncutTimeTooShort(bytesDone: late.bytes, seconds: late.seconds))
            }
            let now = runner.now()
            let seconds = now.timeIntervalSince(last.at)
            let rate = seconds > 0 ? max(0, Double(done - (last.done ?? done)) / seconds) : 0
            claimed.progress(bytesDone: done, bytesPerSecond: rate)
            last = (now, done)
        }
    }
}

import Foundation
import Logging
import Synchronization
import Uploads

/// Watches that may report a fact at any time: a pause of the baton, and a preemption.
extension SliceRun {
    /// A slice that is paused or stopped may still have an uncut step to finish: it learns when its baton holds again, or is lost for good.
    func watchReturn(from validity: BatonValidity) async {
        var validity = validity
        while validity == .paused || validity == .stopped {
            guard (try? await runner.clock.sleep(for: .seconds(1))) != nil else { return }
            let before = validity
            validity = await claimed.validity()
            if validity != before { tell(.lost(validity)) }
        }
    }

    /// Rule 4: progress or poison. A slice that has run for a second publishes `started`.
    func tellStartedInTime() async {
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
}

import Foundation
import Logging
import TraceContexts
import Tracing
import Uploads

/// Carries a baton for one slice: executes the decisions of ``SliceMachine``.
struct SliceRunner: Sendable {
    let destinations: any DestinationProvider
    let sources: any SourceProvider
    let configuration: WorkerConfiguration
    let rules: SliceRules
    let circuits: Circuits
    let paces: TransferPaces
    let seats: OriginSeats
    let gate: SlotGate
    let traffics = DestinationTraffics()
    let clock: any Clock<Duration>
    /// Wakes the slices at their times.
    let alarms: Alarms
    let now: @Sendable () -> Date
    let witnesses: ClockWitnesses
    let logger: Logger
    /// How long a slice works before its start is reported.
    let startedAfter = Duration.seconds(1)

    func run(_ claimed: any ClaimedBaton, id: UInt64, among slices: RunningSlices) async -> SettledSlice {
        let baton = claimed.baton
        let context = ServiceContext.trace(of: baton.job.id, after: claimed.trace)
        return await withSpan("upload.slice", context: context, ofKind: .consumer) { span in
            if let place = span.context.traceParent { claimed.note(span: place) }
            if span.isRecording {
                span.attributes["upload.job"] = baton.job.id.rawValue
                span.attributes["upload.queue"] = baton.job.queue.rawValue
                span.attributes["upload.destination"] = baton.job.destination.label
                span.attributes["upload.round"] = baton.round
                span.attributes["upload.generation"] = baton.generation
                span.attributes["upload.slice"] = baton.slice
            }
            let run = SliceRun(claimed, runner: self)
            slices.add(id, of: baton.job.id, at: now(), run.tell)
            let settled = await run.run()
            slices.remove(id)
            span.attributes["upload.settlement"] = settled.settlement.label
            switch settled.settlement {
            case .ended(.failed(let error, _)), .wait(_, reason: .retry(let error), _):
                span.setStatus(SpanStatus(code: .error, message: error.code.description))
            default: break
            }
            log(settled, of: baton)
            return settled
        }
    }

    func log(_ slice: SettledSlice, of baton: Baton) {
        var metadata = baton.logMetadata
        metadata[LogKeys.settlement] = "\(slice.settlement.label)"
        metadata[LogKeys.bytes] = "\(slice.report.bytesSent)"
        metadata[LogKeys.seconds] = "\(slice.report.activeSeconds)"
        switch slice.settlement {
        case .ended(let outcome):
            metadata[LogKeys.outcome] = "\(outcome.label)"
            if case .failed(let error, _) = outcome { metadata[LogKeys.error] = "\(error)" }
            logger.info("An upload ended", metadata: metadata)
        case .wait(_, let reason, _):
            metadata[LogKeys.reason] = "\(reason.label)"
            switch reason {
            case .retry(let error), .circuitOpen(let error), .notYet(let error), .resting(let error),
                .limited(let error):
                metadata[LogKeys.error] = "\(error)"
            default: break
            }
            logger.info("An upload waits", metadata: metadata)
        case .handOver, .altered, .superseded, .abandoned:
            logger.debug("A slice settled", metadata: metadata)
        }
    }
}

extension Settlement {
    /// A word from a closed set, for metrics and logs.
    var label: String {
        switch self {
        case .ended: "ended"
        case .handOver: "handOver"
        case .altered: "altered"
        case .wait: "wait"
        case .superseded: "superseded"
        case .abandoned: "abandoned"
        }
    }
}

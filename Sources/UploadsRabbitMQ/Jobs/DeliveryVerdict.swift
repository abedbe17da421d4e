import RabbitMQ
import Uploads

/// What to do with a delivery before a slice works on it: decided by its content, and then by ``TakingVerdict``.
enum DeliveryVerdict: Hashable, Sendable {
    /// Give it to the handler.
    case work(Baton)
    /// It may be a repeat: pass it to the notifier, with the reason's word.
    case suspect(Baton, reason: String)
    /// A higher generation counts: acknowledge, touch nothing.
    case superseded(Baton)
    /// A newer version wrote it: let it wait for a worker that knows the type.
    case unsupported(type: String)
    /// No worker can work on it: set it aside with the reason.
    case dead(reason: String)

    init(_ message: Message, redelivered: Bool, queue: QueueName, view: ControlView) {
        let baton: Baton
        var isOutOfTurn = false
        switch WireFormat.read(message) {
        case .job(let job):
            baton = Baton(job: job)
            isOutOfTurn = job.serial != nil
        case .baton(let delivered): baton = delivered
        case .newer(let type):
            self = .unsupported(type: type)
            return
        case .unreadable(let reason):
            self = .dead(reason: reason)
            return
        case .event, .marker, .control, .order, .answer, .destination, .worker:
            self = .dead(
                reason: "'\(message.type ?? "")' does not belong into a lane: expected \(WireType.jobText)")
            return
        }
        // Otherwise its events would belong to one queue and its batons go through another.
        guard baton.job.queue == queue else {
            self = .dead(
                reason: "the job's queue is '\(baton.job.queue)', but it was published to '\(queue)': use the job's own"
            )
            return
        }
        let isMaybeRepeated = WireFormat.isMaybeRepeated(message)
        // Rule 2: suspects are not worked on. The queue knows what may be a repeat, `TakingVerdict` what follows.
        let verdict = TakingVerdict(
            baton, isRedelivered: redelivered, isMaybeRepeated: isMaybeRepeated || isOutOfTurn, view: view)
        switch verdict {
        case .work: self = .work(baton)
        case .superseded: self = .superseded(baton)
        case .suspect:
            // Out of turn: a producer published a job of a serial line to a lane, but the notifier decides whose turn
            // it is.
            let published = isOutOfTurn ? "serial" : WireFormat.maybeRepeatedHeader
            self = .suspect(baton, reason: redelivered ? "redelivered" : published)
        }
    }
}

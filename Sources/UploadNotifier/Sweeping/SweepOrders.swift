import Uploads

/// An order to sweep, and who waits for the answer.
struct SweepOrder: Sendable {
    let order: UploadOrder
    let replyTo: String?
}

/// Orders to sweep that wait for their turn. Not durable: a sweep that a restart forgets can be ordered again, and the timer makes it
/// anyway.
final class SweepOrders: Sendable {
    /// More sweeps than this at once are dropped, the newest first; the operator hears no answer.
    static let countMaximum = 16

    let all: AsyncStream<SweepOrder>
    private let queue: AsyncStream<SweepOrder>.Continuation

    init(countMaximum: Int = SweepOrders.countMaximum) {
        (all, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(countMaximum))
    }

    func add(_ order: SweepOrder) { queue.yield(order) }
}

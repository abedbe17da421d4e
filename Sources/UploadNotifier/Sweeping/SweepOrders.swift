import Uploads

/// An order to sweep, with the queue of the operator who waits for the answer.
struct SweepOrder: Sendable {
    let order: UploadOrder
    let replyTo: String?
}

/// Orders to sweep that wait for their turn. Not durable: a sweep that a restart forgets can be ordered again, and the timer makes a
/// sweep anyway.
final class SweepOrders: Sendable {
    /// Waiting sweeps beyond this number are dropped, the newest first; the operator gets no answer.
    static let countMaximum = 16

    let all: AsyncStream<SweepOrder>
    private let queue: AsyncStream<SweepOrder>.Continuation

    init(countMaximum: Int = SweepOrders.countMaximum) {
        (all, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(countMaximum))
    }

    func add(_ order: SweepOrder) { queue.yield(order) }
}

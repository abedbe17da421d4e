import RabbitMQ
import Synchronization
import Uploads

/// The messages that were delivered to a notifier and that it has not taken yet: at most as many as the prefetches
/// allow.
final class NotifierFeed: Sendable {
    /// A batch of the feed is complete with that many messages, and so is what one call hands over.
    static let messagesMaximum = 1000

    struct Batch: Sendable {
        var messages: [NotifierMessage]
        var deliveries: [Delivery]
        var consumer: Consumer
    }

    private let waiting = Mutex<[Batch]>([])
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init() {
        (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ batch: Batch) {
        waiting.withLock { $0.append(batch) }
        waker.yield()
    }

    /// Wakes the waiting caller; messages that are still here go back to the broker.
    func finish() { waker.finish() }

    /// The messages that have arrived, in order; waits for the first. For one caller at a time.
    /// - Returns: nil when the feed is finished, and when the calling task is cancelled.
    func next() async -> ArraySlice<Batch>? {
        var wakes = wakes.makeAsyncIterator()
        while true {
            let batches = waiting.withLock { waiting in
                var count = 0
                let taken = waiting.prefix { batch in
                    defer { count += batch.messages.count }
                    return count < Self.messagesMaximum
                }
                waiting.removeFirst(taken.count)
                return taken
            }
            if !batches.isEmpty { return batches }
            guard await wakes.next() != nil else { return nil }
        }
    }
}

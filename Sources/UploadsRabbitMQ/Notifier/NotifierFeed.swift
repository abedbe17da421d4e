import RabbitMQ
import Synchronization
import Uploads

/// What was delivered to a notifier and not taken by it yet: at most what the prefetches let through.
final class NotifierFeed: Sendable {
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

    /// Wakes whoever waits; what is still there is left to the broker.
    func finish() { waker.finish() }

    /// All that is there, in its order, once there is something. For one caller at a time.
    /// - Returns: nil when it is finished, and when the calling task is cancelled.
    func next() async -> [Batch]? {
        var wakes = wakes.makeAsyncIterator()
        while true {
            let batches = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if !batches.isEmpty { return batches }
            guard await wakes.next() != nil else { return nil }
        }
    }
}

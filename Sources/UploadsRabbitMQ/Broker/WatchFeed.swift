import Foundation
import RabbitMQ
import Synchronization
import Uploads

/// The items that a watch's consumers have read and the watch's reader has not taken yet. They are unacknowledged, so
/// the prefetch bounds them.
final class WatchFeed: Sendable {
    struct Item: Sendable {
        var event: UploadEvent
        /// The delivery to acknowledge with this event: nil for all but the last event of a message.
        var delivery: Delivery?
        var consumer: Consumer
    }

    let items: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation
    private let problem = Mutex<UploadError?>(nil)

    init() { (items, input) = AsyncStream.makeStream(of: Item.self) }

    /// Why it ended early, if it did.
    var failure: UploadError? { problem.withLock { $0 } }

    func finish() { input.finish() }

    func read(_ consumer: Consumer) async {
        do throws(RabbitMQError) {
            var batches = consumer.makeAsyncIterator()
            while let batch = try await batches.next() {
                for delivery in batch {
                    let events = WireFormat.singles(of: delivery.message).compactMap { message in
                        if case .event(let event) = WireFormat.read(message) { event } else { nil }
                    }
                    for event in events.dropLast() { input.yield(Item(event: event, consumer: consumer)) }
                    if let last = events.last {
                        input.yield(Item(event: last, delivery: delivery, consumer: consumer))
                    } else {
                        consumer.acknowledge(delivery)
                    }
                }
            }
        } catch {
            fail(error.message)
        }
    }

    /// Fails the watch after a long absence: the queue may have been deleted, and the reconnect declared an empty one.
    func measureAbsence(of connection: Connection) async {
        var lostAt: ContinuousClock.Instant?
        for await state in connection.states() {
            switch state {
            case .disconnected: lostAt = lostAt ?? .now
            case .connected:
                if let lostAt, ContinuousClock.now - lostAt > .seconds(UploadTopology.watchAbsenceMaximum) {
                    fail("the broker was away for too long")
                }
                lostAt = nil
            case .closed: finish()
            case .blocked, .unblocked: break
            }
        }
    }

    private func fail(_ why: String) {
        problem.withLock { problem in
            problem =
                problem
                ?? UploadError(
                    .networkFailure,
                    "outcomes may have been missed: \(why); the uploads go on, ask the notifier for their outcomes")
        }
        finish()
    }
}

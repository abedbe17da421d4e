import Foundation
import RabbitMQ
public import Uploads

extension UploadBroker {
    /// How long the broker may take to confirm an order.
    private static let confirmPatience = Duration.seconds(10)

    /// Gives an order. When this returns, also after waiting in vain, the order is on disk in the notifier's queue; it
    /// holds when the notifier reads it, even if none runs now. A question is not kept: the broker drops it after
    /// ``UploadOrder/questionPatience``.
    ///
    /// - Parameter patience: how long to wait for the broker and for the notifier's answer together; nil: do not wait
    ///   for an answer.
    /// - Returns: the answer; nil when none came in time.
    /// - Throws: `networkFailure`, `serverFailure` when the broker does not take the order. It may be given again: a
    ///   repeated order has no further effect.
    public func order(_ order: UploadOrder, patience: Duration?) async throws(UploadError) -> OrderAnswer? {
        let end = patience.map { ContinuousClock.now + $0 }
        var left: Duration { end.map { max(.zero, $0 - .now) } ?? Self.confirmPatience }
        do throws(RabbitMQError) {
            try await ensure([topology.notifier(0)], of: topology.foundation)
        } catch {
            throw UploadError(error, doing: "the notifiers' queues could not be declared")
        }
        guard patience != nil else {
            try await publish(order, replyTo: nil, within: left)
            return nil
        }
        let connection = try await consumingConnection()
        let queue = topology.answerQueue(UUID())
        let objects = Topology(queues: [queue])
        let consumer: Consumer
        do throws(RabbitMQError) {
            try await connection.define(objects)
            consumer = try await connection.consume(queue.name, prefetch: UInt16(Shards.digits.count))
        } catch {
            throw UploadError(error, doing: "the answer to an order cannot be waited for")
        }
        let result: Result<OrderAnswer?, UploadError>
        do throws(UploadError) {
            try await publish(order, replyTo: queue.name, within: min(left, Self.confirmPatience))
            result = .success(await Self.answer(to: order, from: consumer, within: left))
        } catch {
            result = .failure(error)
        }
        // Not awaited: the caller has its result.
        Task {
            await consumer.channel.close()
            _ = try? await connection.delete(objects)
        }
        return try result.get()
    }

    private func publish(
        _ order: UploadOrder, replyTo: String?, within limit: Duration
    ) async throws(UploadError) {
        let (exchange, routingKey) = topology.address(of: order)
        let parcel = Parcel(
            message: try WireFormat.message(order: order, replyTo: replyTo), exchange: exchange,
            routingKey: routingKey, topology: self.topology.foundation)
        let late = Signal()
        let timer = Task {
            try await Task.sleep(for: limit)
            late.fire()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            do throws(RabbitMQError) {
                try await publisher.deliver(parcel, until: late)
                return Result<Void, RabbitMQError>.success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            late.fire()
        }
        guard case .failure(let error) = result else { return }
        if error.code == .cancelled, !Task.isCancelled {
            throw UploadError(
                .networkFailure, "the broker has not confirmed the order; it may hold or not: give it again")
        }
        throw UploadError(error, doing: "the order could not be given")
    }

    private static func answer(
        to order: UploadOrder, from consumer: Consumer, within patience: Duration
    ) async -> OrderAnswer? {
        let reader = Task { () -> OrderAnswer? in
            var batches = consumer.makeAsyncIterator()
            var parts: [Int: OrderAnswer] = [:]
            while let batch = try await batches.next() {
                for delivery in batch {
                    consumer.acknowledge(delivery)
                    guard case .answer(let answer) = WireFormat.read(delivery.message), answer.order == order.id
                    else { continue }
                    guard let shard = answer.shard, let count = answer.answers else { return answer }
                    parts[shard] = answer
                    if parts.count >= count {
                        return OrderAnswer(to: order, of: parts.sorted { $0.key < $1.key }.map(\.value))
                    }
                }
            }
            return nil
        }
        let timer = Task {
            try await Task.sleep(for: patience)
            reader.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            try? await reader.value
        } onCancel: {
            reader.cancel()
        }
    }
}

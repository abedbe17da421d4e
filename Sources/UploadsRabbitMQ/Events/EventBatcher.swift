import RabbitMQ
import Synchronization
import Uploads

/// Publishes events: those of one address that are ready at the same time in one message (``EventBatches``).
///
/// No task of its own publishes: the caller whose event is the first of a message does it, and the others of that message get its result.
final class EventBatcher: Sendable {
    /// The events that may share a message: it goes to the same queues for all of them, and for as long.
    struct Address: Hashable {
        var exchange: String
        /// Without the digit: that of a message is the digit of its first event.
        var key: Substring
        var shard: Int
        /// The tenure under which the events may be published, if that ends.
        var tenure: ObjectIdentifier?
    }

    private enum Turn {
        case publish([Entry])
        case ended(Result<Void, RabbitMQError>)
        /// The broker refuses the message in which the event was, perhaps for another event.
        case alone
    }

    private struct Entry {
        let message: Message
        let turn: CheckedContinuation<Turn, Never>
    }

    private let batches = Mutex<[Address: EventBatches<Entry>]>([:])

    /// Events that wait until a message on its way is confirmed.
    var waitingCount: Int { batches.withLock { $0.values.reduce(0) { $0 + $1.waitingCount } } }

    /// Publishes an event, alone or with others.
    /// - Parameters:
    ///   - message: the event as a message of its own.
    ///   - send: publishes a message under the address, and returns when it is confirmed or given up.
    func publish(
        _ message: Message, to address: Address, _ send: (Message) async -> Result<Void, RabbitMQError>
    ) async -> Result<Void, RabbitMQError> {
        let turn = await withCheckedContinuation { continuation in
            let batch = batches.withLock { batches in
                batches[address, default: EventBatches()]
                    .add(Entry(message: message, turn: continuation), bytes: message.body.count)
            }
            Self.begin(batch)
        }
        switch turn {
        case .ended(let result): return result
        case .alone: return await send(message)
        case .publish(let batch):
            let result = await send(WireFormat.batch(batch.map(\.message)))
            let next = batches.withLock { batches in
                let next = batches[address]?.ended() ?? []
                if batches[address]?.isIdle == true { batches[address] = nil }
                return next
            }
            Self.begin(next)
            let isRefused = batch.count > 1 && Self.isRefusal(result)
            for other in batch.dropFirst() { other.turn.resume(returning: isRefused ? .alone : .ended(result)) }
            return isRefused ? await send(message) : result
        }
    }

    private static func begin(_ batch: [Entry]) { batch.first?.turn.resume(returning: .publish(batch)) }

    /// Whether another try with the same bytes would be refused as well.
    private static func isRefusal(_ result: Result<Void, RabbitMQError>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return error.code == .messageRefused || error.code == .invalidArgument
    }
}

extension EventBatcher.Address {
    init(_ event: UploadEvent, _ exchange: String, _ shards: Shards, _ tenure: Tenure? = nil) {
        let key = event.routingKey
        self.init(
            exchange: exchange, key: key[..<(key.lastIndex(of: ".") ?? key.endIndex)],
            shard: shards.shard(of: event.job.id), tenure: tenure.map { ObjectIdentifier($0) })
    }
}

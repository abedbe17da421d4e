import RabbitMQ
import Synchronization
import Uploads

/// Channels on which one message at a time is published. When the broker closes such a channel, it refuses only the
/// message on it.
final class LoneChannels: Sendable {
    /// How many channels are in use at once.
    private static let countMaximum = 8

    private let connection: Connection
    private let places = AsyncLock(places: countMaximum)
    /// Channels without an unconfirmed message.
    private let idle = Mutex<[Channel]>([])

    init(connection: Connection) { self.connection = connection }

    /// Gives the body a channel without an unconfirmed message.
    func withChannel(
        _ body: (Channel) async throws(RabbitMQError) -> Void
    ) async throws(RabbitMQError) {
        try await places.withLock { () async throws(RabbitMQError) in
            let free = idle.withLock { $0.popLast() }
            let channel = if let free { free } else { try await connection.openChannel() }
            do throws(RabbitMQError) {
                try await body(channel)
            } catch {
                // The broker may still confirm the abandoned message, so the next one would not be alone. And RabbitMQ 3.10
                // may go on nacking on a channel (see `Publisher.renew`). A channel that is not kept is closed with its
                // last use.
                if !error.isOutcomeUnknown, error.code != .nacked { idle.withLock { $0.append(channel) } }
                throw error
            }
            idle.withLock { $0.append(channel) }
        }
    }
}

import Logging
import RabbitMQ
import Uploads

/// Publishes over the publishing connection until the broker has confirmed.
final class Publisher: Sendable {
    private static let pauseMinimum = Duration.milliseconds(100)
    private static let pauseMaximum = Duration.seconds(5)

    let connection: Connection
    /// Batons, events, entries: mandatory and confirmed.
    private let channel: Channel
    /// Progress: posted, so that a lost or refused one disturbs nothing.
    private let posts: Channel
    private let logger: Logger

    init(connection: Connection, logger: Logger) async throws(RabbitMQError) {
        self.connection = connection
        self.channel = try await connection.openChannel()
        self.posts = try await connection.openChannel()
        self.logger = logger
    }

    /// One try.
    func publish(_ parcel: Parcel) async throws(RabbitMQError) {
        try await channel.publish(parcel.message, to: parcel.exchange, routingKey: parcel.routingKey)
    }

    /// Tries until it is confirmed. A repeat of which nobody knows whether the first try arrived is flagged.
    ///
    /// - Parameters:
    ///   - lost: fires when it must not be published any more; a try under way is cancelled.
    ///   - holds: asked before each try.
    /// - Throws: `.cancelled` when `lost` has fired or `holds` says no, `.closed`, and what repeating cannot help:
    ///   `.invalidArgument`, `.preconditionFailed`.
    func deliver(
        _ parcel: Parcel, until lost: Signal, while holds: @escaping @Sendable () -> Bool = { true }
    ) async throws(RabbitMQError) {
        var parcel = parcel
        var pause = Self.pauseMinimum
        while true {
            guard !lost.isFired, holds() else {
                throw RabbitMQError(.cancelled, "the delivery that brought it about is no longer held")
            }
            let attempt = parcel
            let answer = await lost.cancelling { () async -> Result<Void, RabbitMQError> in
                do throws(RabbitMQError) {
                    try await self.publish(attempt)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            guard case .failure(let error) = answer else { return }
            if lost.isFired { throw error }
            switch error.code {
            case .closed, .invalidArgument, .preconditionFailed: throw error
            default: break
            }
            logger.warning(
                "publish failed, trying again",
                metadata: ["exchange": .string(parcel.exchange), "error": .string(String(describing: error))])
            // A nack may have reached some of the queues.
            if error.isOutcomeUnknown || error.code == .nacked { parcel = parcel.repeated }
            if error.code == .returned || error.code == .notFound, let topology = parcel.topology {
                await lost.cancelling { [connection] in _ = try? await connection.define(topology) }
            }
            await pauseOrReconnect(pause, until: lost)
            pause = min(pause * 2, Self.pauseMaximum)
        }
    }

    /// Tells, if that can be done now; nobody waits.
    func post(_ parcel: Parcel) {
        posts.post(parcel.message, to: parcel.exchange, routingKey: parcel.routingKey)
    }

    private func pauseOrReconnect(_ pause: Duration, until lost: Signal) async {
        await lost.cancelling { [connection] in
            guard (try? await connection.waitUntilConnected()) != nil else { return }
            try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
        }
    }
}

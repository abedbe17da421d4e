import Logging
import RabbitMQ
import Synchronization
import Uploads

/// Publishes over the publishing connection until the broker has confirmed.
final class Publisher: Sendable {
    /// The pause between two tries of a message that must arrive.
    private static let pauses = Duration.milliseconds(100)...Duration.seconds(5)
    /// The same while the broker's user lacks a permission.
    private static let refusedPauses = Duration.seconds(1)...Duration.seconds(120)
    /// A message that may be refused is given up after this many nacks in a row.
    private static let nackCountMaximum = 5
    /// Time between two channels that are opened because of a nack.
    private static let renewalInterval = Duration.seconds(1)
    /// The name of a queue that does not exist.
    private static let nowhere = "longshore.nowhere"
    /// How long a message that is published alone may keep its channel, if its parcel sets no limit.
    private static let aloneLimit = Duration.seconds(30)

    /// The channel in use, and the time when it replaced another.
    private struct Publishing {
        var channel: Channel
        var renewedAt: ContinuousClock.Instant?
        var isRenewing = false
    }

    let connection: Connection
    /// Batons, events, entries: confirmed, and mandatory unless the parcel says otherwise.
    private let publishing: Mutex<Publishing>
    /// Progress: posted without a confirm, so that a lost or refused message disturbs nothing.
    private let posts: Channel
    /// For probes, which only check that the broker confirms.
    private let probes: Channel
    /// For messages that may have made the broker close the shared channel.
    private let lone: LoneChannels
    private let logger: Logger

    init(connection: Connection, logger: Logger) async throws(RabbitMQError) {
        self.connection = connection
        let channels = try await connection.openChannels(3)
        publishing = Mutex(Publishing(channel: channels[0]))
        self.posts = channels[1]
        self.probes = channels[2]
        self.lone = LoneChannels(connection: connection)
        self.logger = logger
    }

    /// Publishes until the broker confirms or the calling task is cancelled. After a nack, or without a confirm within
    /// the parcel's limit, the next message goes over a new channel.
    ///
    /// When the broker closes the channel, for this message or for another one, this message is published again, as a
    /// repeat and alone on a channel: then the broker's answer is about this message.
    ///
    /// - Parameter isAlone: publish it alone from the start, because the broker may refuse it.
    /// - Throws: `.timedOut` when the parcel's time is up; and the errors of publishing. Unless `isOutcomeUnknown`, the
    ///   broker has not taken the message.
    func publish(_ parcel: Parcel, isAlone: Bool = false) async throws(RabbitMQError) {
        try await publish(parcel, isAlone: isAlone, while: { !Task.isCancelled }) { confirm in
            await withTaskCancellationHandler {
                await confirm.outcome()
            } onCancel: {
                confirm.giveUp(
                    RabbitMQError(.cancelled, "the calling task was cancelled; what was sent may still take effect"))
            }
        }
    }

    /// The same, until the signal fires, even if the calling task is cancelled: a cancellation must not come between
    /// the confirm and the acknowledgement.
    private func publish(
        _ parcel: Parcel, isAlone: Bool, until lost: Signal, while holds: () -> Bool
    ) async throws(RabbitMQError) {
        try await publish(parcel, isAlone: isAlone, while: { !lost.isFired && holds() }) { confirm in
            let registration = lost.onFire {
                confirm.giveUp(RabbitMQError(.cancelled, "the delivery that brought it about is no longer held"))
            }
            defer { lost.remove(registration) }
            return await confirm.outcome()
        }
    }

    private func publish(
        _ parcel: Parcel, isAlone: Bool, while mayGoOn: () -> Bool,
        _ wait: (PublisherConfirm) async -> Result<Void, RabbitMQError>
    ) async throws(RabbitMQError) {
        guard !isAlone else { return try await sendAlone(parcel, while: mayGoOn, wait) }
        let channel = publishing.withLock { $0.channel }
        let first: RabbitMQError
        do throws(RabbitMQError) {
            return try await send(parcel, over: channel, wait)
        } catch {
            // Not awaited: a broker that confirms nothing may answer nothing else either.
            if error.code == .nacked || error.code == .timedOut { Task { await renew(channel) } }
            guard error.code == .channelClosed, mayGoOn() else { throw error }
            first = error
        }
        do throws(RabbitMQError) {
            try await sendAlone(parcel.repeated, while: mayGoOn, wait)
        } catch {
            throw error.ofRepeat(after: first)
        }
    }

    private func sendAlone(
        _ parcel: Parcel, while mayGoOn: () -> Bool,
        _ wait: (PublisherConfirm) async -> Result<Void, RabbitMQError>
    ) async throws(RabbitMQError) {
        var parcel = parcel
        parcel.confirmLimit = parcel.confirmLimit ?? Self.aloneLimit
        try await lone.withChannel { [parcel] channel throws(RabbitMQError) in
            // Other messages may have used the channels for a while.
            guard mayGoOn() else { throw RabbitMQError(.cancelled, "it was given up before it was published") }
            try await send(parcel, over: channel, wait)
        }
    }

    private func send(
        _ parcel: Parcel, over channel: Channel, _ wait: (PublisherConfirm) async -> Result<Void, RabbitMQError>
    ) async throws(RabbitMQError) {
        let confirm = try channel.send(
            parcel.message, to: parcel.exchange, routingKey: parcel.routingKey, isMandatory: parcel.isMandatory)
        let watch = parcel.confirmLimit.map { limit in Self.watch(confirm, until: .now + limit, limit) }
        defer { if let watch { StallDetector.shared.remove(watch) } }
        try await wait(confirm).get()
    }

    private static func watch(
        _ confirm: PublisherConfirm, until end: ContinuousClock.Instant, _ limit: Duration
    ) -> Int {
        StallDetector.shared.add {
            guard end <= .now else { return false }
            confirm.giveUp(
                RabbitMQError(
                    .timedOut,
                    """
                    the broker did not confirm within \(Int((limit / .seconds(1)).rounded(.up))) s; look for memory and disk alarms, and \
                    for full queues there
                    """))
            return true
        }
    }

    /// Replaces a channel that was nacked by a new one, at most once a second.
    ///
    /// For each channel, the broker remembers the leader of a quorum queue from the first publish to that queue on. If
    /// that node was dead then, RabbitMQ 3.10 asks no other node, and goes on nacking on this channel when another node
    /// has long become leader. Messages on the old channel are still confirmed; it closes after the last of them.
    private func renew(_ nacked: Channel) async {
        let isDue = publishing.withLock { publishing in
            guard publishing.channel === nacked, !publishing.isRenewing else { return false }
            if let last = publishing.renewedAt, last.duration(to: .now) < Self.renewalInterval { return false }
            publishing.isRenewing = true
            return true
        }
        guard isDue else { return }
        let fresh = try? await connection.openChannel()
        publishing.withLock { publishing in
            publishing.isRenewing = false
            guard let fresh else { return }
            publishing.channel = fresh
            publishing.renewedAt = .now
        }
    }

    /// Tries until the broker confirms. It flags a repeat when it is not known whether the first try arrived. A message
    /// that has made the broker close a channel is tried alone from then on, so that it disturbs no other.
    ///
    /// - Parameters:
    ///   - lost: fires when the message must not be published any more; a try under way is cancelled.
    ///   - holds: asked before each try.
    ///   - mayBeRefused: whether "no queue takes the message" is an answer, and not a failure that passes.
    /// - Throws: `.cancelled` when `lost` has fired or `holds` returns false, `.closed`, and errors that a repeat
    ///   cannot help: `.invalidArgument`, `.messageRefused`; if it may be refused also `.returned`, and `.nacked` after
    ///   some tries.
    func deliver(
        _ parcel: Parcel, until lost: Signal, while holds: @escaping @Sendable () -> Bool = { true },
        mayBeRefused: Bool = false
    ) async throws(RabbitMQError) {
        var parcel = parcel
        var pauses = RepeatPause(passing: Self.pauses, refused: Self.refusedPauses)
        var isAlone = false
        var nackCount = 0
        while true {
            guard !lost.isFired, holds() else {
                throw RabbitMQError(.cancelled, "the delivery that brought it about is no longer held")
            }
            let failure: RabbitMQError
            do throws(RabbitMQError) {
                return try await publish(parcel, isAlone: isAlone, until: lost, while: holds)
            } catch {
                failure = error
            }
            if lost.isFired { throw failure }
            switch failure.code {
            case .closed, .messageRefused: throw failure
            case .returned where mayBeRefused: throw failure
            // The pauses in between are over a second: a queue that elects another leader may take the message.
            case .nacked where mayBeRefused && nackCount >= Self.nackCountMaximum - 1: throw failure
            // A repeat that could not even be sent says nothing about the first try.
            case .invalidArgument where !failure.isOutcomeUnknown: throw failure
            default: break
            }
            nackCount = failure.code == .nacked ? nackCount + 1 : 0
            isAlone = [.channelClosed, .accessRefused, .notFound].contains(failure.code)
            let isRefused = failure.code == .accessRefused
            let next = pauses.failed(isRefused: isRefused)
            var facts: Logger.Metadata = [
                "exchange": .string(parcel.exchange), "error": .string(String(describing: failure)),
            ]
            if next.isNews {
                facts["remedy"] =
                    "give the broker's user the permissions that its program needs: see Operating, 'The broker'"
                logger.error("publish refused, trying again every other minute", metadata: facts)
            } else if !isRefused {
                logger.warning("publish failed, trying again", metadata: facts)
            }
            // A nacked message may have reached some of the queues.
            if failure.isOutcomeUnknown || failure.code == .nacked { parcel = parcel.repeated }
            if failure.code == .returned || failure.code == .notFound, let topology = parcel.topology {
                await lost.cancelling { [connection] in _ = try? await connection.declareAgain(topology) }
            }
            await pauseOrReconnect(next.pause, until: lost)
        }
    }

    /// Publishes a message that reaches no queue, and waits for the confirm. The broker does not confirm while it is
    /// short of memory or disk, or paused.
    func probe(within limit: Duration) async throws(RabbitMQError) {
        let parcel = Parcel(
            message: Message(isPersistent: false), exchange: "", routingKey: Self.nowhere,
            isMandatory: false, confirmLimit: limit)
        try await send(parcel, over: probes) { await $0.outcome() }
    }

    /// Publishes without a confirm, if that is possible now.
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

import Logging
import RabbitMQ
import Uploads

/// Restores objects that were deleted on the broker by mistake: it checks each minute, over the connection that
/// consumes.
struct TopologyKeeper: Sendable {
    static let interval = Duration.seconds(60)
    /// If a queue is declared again before its consumers learnt of its end, RabbitMQ 3.10 keeps these consumers and
    /// delivers to none of them.
    private static let repairPause = Duration.seconds(1)

    /// Exchanges and queues are declared where one is missing. Bindings are declared every time, which changes nothing
    /// where they exist.
    let objects: Topology
    let connection: Connection
    /// Waits until the next check, or for the signal.
    let pause: @Sendable (Signal) async -> Void
    let logger: Logger

    /// Checks until the signal fires or the task is cancelled.
    func run(until draining: Signal) async {
        var told: RabbitMQError.Code?
        var mayBind = true
        while !draining.isFired, !Task.isCancelled {
            await pause(draining)
            guard !draining.isFired, !Task.isCancelled, connection.epoch != 0 else { continue }
            do throws(RabbitMQError) {
                try await keep(until: draining, binding: &mayBind)
                told = nil
            } catch {
                // A lost connection is logged elsewhere; a missing lane is declared by its reader.
                let isExpected = [.closed, .cancelled, .notFound].contains(error.code) || error.isRetryable
                guard !isExpected, told != error.code else { continue }
                told = error.code
                let remedy =
                    error.code == .accessRefused
                    ? "this user may not declare: have an administrator run 'uploadctl topology declare'"
                    : "compare with 'uploadctl topology check'"
                logger.error(
                    "objects are missing on the broker, and cannot be declared again",
                    metadata: ["error": .string(String(describing: error)), "remedy": .string(remedy)])
            }
        }
    }

    private func keep(until draining: Signal, binding mayBind: inout Bool) async throws(RabbitMQError) {
        do throws(RabbitMQError) {
            try await connection.check(
                exchanges: objects.exchanges.map(\.name), queues: objects.queues.map(\.name))
        } catch {
            guard error.code == .notFound else { throw error }
            await draining.wait(atMost: Self.repairPause)
            return try await connection.declareAgain(objects)
        }
        guard mayBind else { return }
        do throws(RabbitMQError) {
            try await connection.declareAgain(Topology(bindings: objects.bindings))
        } catch {
            guard error.code == .accessRefused else { throw error }
            // An administrator does it.
            mayBind = false
        }
    }
}

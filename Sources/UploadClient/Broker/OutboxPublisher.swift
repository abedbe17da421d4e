package import Logging
import UploadSources
import Uploads
package import UploadsRabbitMQ

/// Publishes the jobs of an outbox, which were enqueued while the broker was away.
package struct OutboxPublisher: Sendable {
    /// Time between two looks into the outbox.
    package static let interval = Duration.seconds(10)
    /// How many jobs are published in one look.
    static let batchCountMaximum = 1000

    /// The path of the directory that has the outbox: a staging area, or a host's spool.
    let spool: String
    let broker: UploadBroker
    /// Time between two looks of this publisher.
    let interval: Duration
    private let log: OutboxLog

    /// - Parameter warnings: the warnings that were given lately, for several publishers of one outbox in one program.
    package init(
        spool: String, broker: UploadBroker, interval: Duration = Self.interval,
        warnings: OutboxWarnings = OutboxWarnings(), logger: Logger
    ) {
        self.spool = spool
        self.broker = broker
        self.interval = interval
        log = OutboxLog(spool: spool, warnings: warnings, logger: logger)
    }

    /// Publishes at once, again at once while more jobs wait than one look takes, and then at every interval, until
    /// cancelled.
    package func run() async {
        while !Task.isCancelled {
            while broker.isConnected, !Task.isCancelled, await publish(atMost: Self.batchCountMaximum) {}
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    /// Publishes while the body runs.
    package func publishing<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let beside = Task { await run() }
        let value: Value
        do {
            value = try await body()
        } catch {
            beside.cancel()
            await beside.value
            throw error
        }
        beside.cancel()
        await beside.value
        return value
    }

    /// Looks into the outbox once. Failures are logged, and tried again at the next look.
    /// - Returns: whether it took as many jobs as it was allowed to, so that more may wait.
    @discardableResult
    package func publish(atMost countMaximum: Int) async -> Bool {
        do throws(UploadError) {
            guard let outbox = try await Outbox.open(inAreaAt: spool) else { return false }
            var submitters: [QueueName: UploadSubmitter] = [:]
            let pass = try await outbox.publish(atMost: countMaximum) { job throws(UploadError) in
                let submitter: UploadSubmitter
                if let known = submitters[job.queue] {
                    submitter = known
                } else {
                    submitter = try await broker.submitter(for: job.queue)
                    submitters[job.queue] = submitter
                }
                // It is not known whether the job was published before and only its file was left. A job that the
                // broker refuses is tried at each look, on a channel of its own: its failure would disturb other
                // publishing of this program.
                try await submitter.submit(
                    job, maybeRepeated: true, within: UploadSubmitter.confirmLimit, isAlone: true)
            }
            log.tell(pass)
            return pass.isFull
        } catch {
            log.tell(error)
            return false
        }
    }
}

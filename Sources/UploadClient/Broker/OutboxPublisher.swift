package import Logging
import UploadSources
import Uploads
package import UploadsRabbitMQ

/// Publishes what the staging area's outbox holds: what was enqueued while the broker was away.
package struct OutboxPublisher: Sendable {
    /// Between two looks into the outbox.
    package static let interval = Duration.seconds(10)
    /// Jobs that are published in one look.
    static let batchCountMaximum = 1000

    /// The staging area's path.
    let staging: String
    let broker: UploadBroker
    /// Between two looks here.
    let interval: Duration
    private let log: OutboxLog

    /// - Parameter warnings: what was warned of before, where several look into one outbox for one program.
    package init(
        staging: String, broker: UploadBroker, interval: Duration = Self.interval,
        warnings: OutboxWarnings = OutboxWarnings(), logger: Logger
    ) {
        self.staging = staging
        self.broker = broker
        self.interval = interval
        log = OutboxLog(staging: staging, warnings: warnings, logger: logger)
    }

    /// Looks into the outbox at once, again at once while there is more than one look takes, and then at every interval, until
    /// cancelled.
    package func run() async {
        while !Task.isCancelled {
            while broker.isConnected, !Task.isCancelled, await publish(atMost: Self.batchCountMaximum) {}
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    /// Publishes beside the body, for as long as that runs.
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

    /// One look. What goes wrong is logged, and tried again at the next look.
    /// - Returns: whether it took as many as it was to, so that more may wait.
    @discardableResult
    package func publish(atMost countMaximum: Int) async -> Bool {
        do throws(UploadError) {
            guard let outbox = try await Outbox.open(inAreaAt: staging) else { return false }
            var submitters: [QueueName: UploadSubmitter] = [:]
            let pass = try await outbox.publish(atMost: countMaximum) { job throws(UploadError) in
                let submitter: UploadSubmitter
                if let known = submitters[job.queue] {
                    submitter = known
                } else {
                    submitter = try await broker.submitter(for: job.queue)
                    submitters[job.queue] = submitter
                }
                // Nobody knows whether it was published before and only its file was left. A job that the broker refuses is tried in
                // each look: alone, or it would disturb what else this program publishes.
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

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
    let logger: Logger
    /// Between two looks here.
    let interval: Duration

    package init(staging: String, broker: UploadBroker, interval: Duration = Self.interval, logger: Logger) {
        self.staging = staging
        self.broker = broker
        self.interval = interval
        self.logger = logger
    }

    /// Looks into the outbox at once and at every interval until cancelled.
    package func run() async {
        while !Task.isCancelled {
            if broker.isConnected { await publish(atMost: Self.batchCountMaximum) }
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    /// Publishes beside the body, for as long as that runs.
    package func publishing(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let beside = Task { await run() }
        do {
            try await body()
        } catch {
            beside.cancel()
            await beside.value
            throw error
        }
        beside.cancel()
        await beside.value
    }

    /// One look. What goes wrong is logged, and tried again at the next look.
    package func publish(atMost countMaximum: Int) async {
        do throws(UploadError) {
            guard let outbox = try await Outbox.open(inAreaAt: staging) else { return }
            var submitters: [QueueName: UploadSubmitter] = [:]
            let pass = try await outbox.publish(atMost: countMaximum) { job throws(UploadError) in
                let submitter: UploadSubmitter
                if let known = submitters[job.queue] {
                    submitter = known
                } else {
                    submitter = try await broker.submitter(for: job.queue)
                    submitters[job.queue] = submitter
                }
                // Whether it was published before and only its file was left nobody knows.
                try await submitter.submit(job, maybeRepeated: true, within: UploadSubmitter.confirmLimit)
            }
            tell(pass)
        } catch {
            logger.debug("the outbox cannot be read", metadata: ["staging": "\(staging)", "error": "\(error.message)"])
        }
    }

    private func tell(_ pass: Outbox.Pass) {
        if !pass.published.isEmpty {
            logger.info("published from the outbox", metadata: ["count": "\(pass.published.count)"])
        }
        for (name, reason) in pass.setAside {
            logger.error(
                "a file in the outbox holds no job and was set aside",
                metadata: ["file": "\(name)", "reason": "\(reason)"])
        }
        for (job, error) in pass.refused {
            logger.warning(
                "a job in the outbox could not be published; it is tried again",
                metadata: ["job": "\(job)", "error": "\(error.message)"])
        }
        if let failure = pass.failure {
            logger.debug("the outbox waits for the broker", metadata: ["error": "\(failure.message)"])
        }
    }
}

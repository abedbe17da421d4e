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
    let warnings: OutboxWarnings

    /// - Parameter warnings: what was warned of before, where several look into one outbox for one program.
    package init(
        staging: String, broker: UploadBroker, interval: Duration = Self.interval,
        warnings: OutboxWarnings = OutboxWarnings(), logger: Logger
    ) {
        self.staging = staging
        self.broker = broker
        self.interval = interval
        self.warnings = warnings
        self.logger = logger
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
            tell(pass)
            return pass.isFull
        } catch {
            tell(error)
            return false
        }
    }

    private func tell(_ pass: Outbox.Pass) {
        if !pass.published.isEmpty {
            logger.info("published from the outbox", metadata: ["count": "\(pass.published.count)"])
        }
        for (name, reason) in pass.setAside where warnings.isDue("no job: \(name)") {
            logger.error(
                "a file in the outbox holds no job and was set aside",
                metadata: ["file": "\(name)", "reason": "\(reason)"])
        }
        for (name, error) in pass.unreadable where warnings.isDue("\(error.code): \(name)") {
            logger.warning(
                "a file in the outbox cannot be read and was set aside",
                metadata: [
                    "file": "\(name)", "error": "\(error.message)",
                    "remedy":
                        "mend it, and it is published; or remove it. Jobs of serial lines behind it wait until then",
                ])
        }
        for (job, error) in pass.refused where warnings.isDue("\(error.code): \(job)") {
            logger.warning(
                "a job in the outbox could not be published; it is tried again",
                metadata: ["job": "\(job)", "error": "\(error.message)"])
        }
        for (job, error) in pass.unremoved where warnings.isDue("not removed: \(job)") {
            logger.warning(
                "a job was published and its file in the outbox cannot be removed; it is published again as a repeat",
                metadata: ["job": "\(job)", "error": "\(error.message)"])
        }
        if let failure = pass.failure { tell(failure) }
    }

    private func tell(_ failure: UploadError) {
        if failure.code == .networkFailure || failure.code == .interrupted {
            logger.debug("the outbox waits for the broker", metadata: ["error": "\(failure.message)"])
        } else if warnings.isDue("\(failure.code): \(failure.message)") {
            logger.warning(
                "the outbox cannot be worked on; it is tried again",
                metadata: ["staging": "\(staging)", "error": "\(failure.message)"])
        }
    }
}

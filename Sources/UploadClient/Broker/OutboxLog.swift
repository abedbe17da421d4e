import Logging
import UploadSources
import Uploads

/// Logs the results of passes over the outbox, and gives each warning once an hour.
struct OutboxLog: Sendable {
    /// The path of the directory that has the outbox.
    let spool: String
    /// The warnings that were given lately.
    let warnings: OutboxWarnings
    let logger: Logger

    func tell(_ pass: Outbox.Pass) {
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

    func tell(_ failure: UploadError) {
        if failure.code == .networkFailure || failure.code == .interrupted {
            logger.debug("the outbox waits for the broker", metadata: ["error": "\(failure.message)"])
        } else if warnings.isDue("\(failure.code): \(failure.message)") {
            logger.warning(
                "the outbox cannot be worked on; it is tried again",
                metadata: ["spool": "\(spool)", "error": "\(failure.message)"])
        }
    }
}

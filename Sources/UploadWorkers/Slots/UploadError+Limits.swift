import Uploads

extension UploadError {
    /// Why a worker gives a job back: which limit of the destination holds it up, how many jobs use it up, and how many are ahead.
    init(limiting request: SlotRequest, _ refusal: SlotGate.Refusal, in worker: String) {
        let ahead = refusal.ahead == 0 ? "" : " and \(refusal.ahead) more ahead of it"
        let jobs = "\(refusal.running) jobs under way there\(ahead)"
        let text =
            if let width = refusal.width {
                "worker \(worker) carries \(width) jobs at once to destination '\(request.destination)', as many as it takes, "
                    + "and has \(jobs): start another worker if the destination can bear more"
            } else if refusal.isForSlot {
                "worker \(worker) has no free slot for destination '\(request.destination)' and has \(jobs): start another worker, "
                    + "or raise worker.concurrency"
            } else {
                "worker \(worker) keeps the limits of destination '\(request.destination)' (\(request.limits.text)) and has "
                    + "\(jobs): raise the limits, or start another worker"
            }
        self.init(.rateLimited, text, retry: .pause(seconds: refusal.seconds))
    }
}

extension TransferLimits {
    /// The limits as the configuration writes them.
    fileprivate var text: String {
        let texts = [
            jobs.map { "jobs: \($0)" }, bytesPerSecond.map { "bytesPerSecond: \($0)" },
            requestsPerSecond.map { "requestsPerSecond: \($0)" },
        ]
        return texts.compactMap(\.self).joined(separator: ", ")
    }
}

import Uploads

/// Decides about a call of `resume`, from the records of this identifier and the notifier's answer. Pure.
enum BrokerResume {
    /// - Parameters:
    ///   - upload: the upload to resume.
    ///   - ended: the last round that is known to have ended, and how it ended.
    /// - Throws: `rejected` for an upload that completed.
    static func check(_ upload: ResumableUpload, ended: (round: Int, kind: EventKind)?) throws(UploadError) {
        if let ended, ended.kind == .completed, ended.round >= upload.round {
            throw UploadError(.rejected, "the upload \(upload.id) completed: there is nothing to resume; start it anew")
        }
    }

    /// The round whose outcome is to be awaited.
    /// - Parameter answer: nil when no answer came in time: the order holds all the same.
    /// - Throws: `rejected`, with the reason, when no round is under way and none will begin.
    static func round(
        _ upload: ResumableUpload, endedRound: Int?, answer: OrderAnswer.Job?
    ) throws(UploadError) -> Int {
        guard let answer else { return max(upload.round, endedRound ?? 0) + 1 }
        if let round = answer.round { return round }
        if answer.done { return max(upload.round, endedRound ?? 0) + 1 }
        throw UploadError(.rejected, answer.reason ?? "the notifier refused to run the upload \(upload.id) again")
    }
}

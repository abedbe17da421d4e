import Uploads

/// What came of one step of a destination's trial.
struct TrialStep: Hashable, Sendable, Encodable {
    enum Name: String, CaseIterable, Encodable {
        /// Its settings and secrets are read.
        case settings
        /// It is asked what lies under a key.
        case look
        /// An upload is begun.
        case begin
        /// A part is sent.
        case send
        /// A small file is made whole and stays.
        case write
        /// What was begun is removed again.
        case remove
    }

    enum Result: String, Encodable {
        case done, failed, skipped
    }

    var step: Name
    var result: Result
    /// What was seen, what is wrong and its remedy, or why it was skipped.
    var detail: String
    /// The kind of the failure.
    var code: String?

    static func done(_ step: Name, _ detail: String) -> TrialStep {
        TrialStep(step: step, result: .done, detail: detail)
    }

    static func skipped(_ step: Name, _ detail: String) -> TrialStep {
        TrialStep(step: step, result: .skipped, detail: detail)
    }

    static func failed(_ step: Name, _ error: UploadError) -> TrialStep {
        TrialStep(step: step, result: .failed, detail: error.message, code: "\(error.code)")
    }
}

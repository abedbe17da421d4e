import Uploads

/// The result of one step of a destination's trial.
struct TrialStep: Hashable, Sendable, Encodable {
    enum Name: String, CaseIterable, Encodable {
        /// The trial reads the destination's settings and secrets.
        case settings
        /// The trial asks the destination which object a key has.
        case look
        /// The trial begins an upload.
        case begin
        /// The trial sends one part.
        case send
        /// The trial uploads a small file, which stays.
        case write
        /// The trial removes the upload that it began.
        case remove
    }

    enum Result: String, Encodable {
        case done, failed, skipped
    }

    var step: Name
    var result: Result
    /// What the trial saw, the problem and its remedy, or why the step was skipped.
    var detail: String
    /// The error code of a failed step.
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

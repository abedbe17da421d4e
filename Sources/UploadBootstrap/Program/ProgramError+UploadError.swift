import Uploads

extension ProgramError {
    /// What an upload error means to the program as a whole.
    init(_ error: UploadError, doing what: String? = nil) {
        let code: ExitCode =
            switch error.code {
            case .wrongCredentials, .notAuthenticated, .accessDenied: .refused
            case .misconfigured: .configuration
            case .networkFailure, .serverFailure, .rateLimited, .noSpace, .destinationAway, .destinationUnavailable,
                .invalidResponse:
                .unavailable
            case .sourceChanged, .rejected: .badInput
            case .invalidFile: .inputOutput
            case .interrupted, .cancelled: .interrupted
            default: .internalError
            }
        self.init(code, what.map { "\($0): \(error.message)" } ?? error.message)
    }
}

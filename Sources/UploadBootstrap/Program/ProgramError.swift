import Uploads

/// The error that ends a program: its exit status and the text for the user, as `what: why; remedy`. It never holds a secret.
public struct ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    public let exitCode: ExitCode
    /// One line for each problem.
    public let problems: [String]
    /// The number of matching dead letters, where the notifier asks for a confirmation first.
    var matched: Int?

    public init(_ exitCode: ExitCode, _ problem: String) { self.init(exitCode, problems: [problem]) }

    public init(_ exitCode: ExitCode, problems: [String]) {
        self.exitCode = exitCode
        self.problems = problems
    }

    /// The problems of all these errors, with the exit status of the first; nil without any.
    init?(joining errors: [ProgramError]) {
        guard let first = errors.first else { return nil }
        self.init(first.exitCode, problems: errors.flatMap(\.problems))
    }

    public var description: String { problems.joined(separator: "\n") }
}

extension ProgramError {
    /// The program's error for an upload error.
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

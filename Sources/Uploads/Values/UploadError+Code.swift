extension UploadError {
    /// The kind of a failure. A struct over a private enum, so that kinds can be added without breaking a `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, CaseIterable {
            case networkFailure, notAuthenticated, wrongCredentials, accessDenied, serverFailure, rateLimited
            case noSpace, destinationAway, destinationUnavailable
            case destinationNotFound, rejected, preconditionFailed, invalidFile, sourceChanged, sourceIncomplete
            case checksumMismatch, invalidResponse, sessionExpired, expired, interrupted, cancelled, poisoned,
                misconfigured, unknown
        }

        private let base: Base

        private init(_ base: Base) { self.base = base }

        /// The code of this name; `unknown` for one that this version does not know.
        public init(named name: String) { base = Base(rawValue: name) ?? .unknown }

        /// The code of exactly this name; nil if this version does not know it.
        public init?(exactly name: String) {
            guard let base = Base(rawValue: name) else { return nil }
            self.base = base
        }

        /// No answer, or the connection was lost.
        public static let networkFailure = Self(.networkFailure)
        /// The destination wants credentials and got none.
        public static let notAuthenticated = Self(.notAuthenticated)
        /// The destination refused the credentials.
        public static let wrongCredentials = Self(.wrongCredentials)
        /// The credentials are good, but not for this.
        public static let accessDenied = Self(.accessDenied)
        /// The destination failed at its side.
        public static let serverFailure = Self(.serverFailure)
        /// The destination asked for fewer requests.
        public static let rateLimited = Self(.rateLimited)
        /// The destination has no room left: its disk is full, or a quota is used up.
        public static let noSpace = Self(.noSpace)
        /// The destination as a whole is not there, or takes nothing from any job: its bucket or directory is gone, its file system is not
        /// mounted, or read-only.
        public static let destinationAway = Self(.destinationAway)
        /// The job has waited for its destination for as long as the destination's patience says.
        public static let destinationUnavailable = Self(.destinationUnavailable)
        /// The place that the job names at the destination does not exist.
        public static let destinationNotFound = Self(.destinationNotFound)
        /// The destination refused this upload, and will again.
        public static let rejected = Self(.rejected)
        /// A conditional write found something else than expected.
        public static let preconditionFailed = Self(.preconditionFailed)
        /// The source cannot be read.
        public static let invalidFile = Self(.invalidFile)
        /// The source is no longer what was enqueued.
        public static let sourceChanged = Self(.sourceChanged)
        /// The program that copied the source into the staging area stopped before the copy was complete.
        public static let sourceIncomplete = Self(.sourceIncomplete)
        /// The bytes that arrived are not those that were sent.
        public static let checksumMismatch = Self(.checksumMismatch)
        /// The destination answered something that its protocol does not know.
        public static let invalidResponse = Self(.invalidResponse)
        /// The session at the destination is gone; a new one is opened.
        public static let sessionExpired = Self(.sessionExpired)
        /// The job's deadline or age ran out.
        public static let expired = Self(.expired)
        /// The time for an uncut step ran out, or the worker stopped.
        public static let interrupted = Self(.interrupted)
        /// Cancelled by request.
        public static let cancelled = Self(.cancelled)
        /// The job stopped its workers too often.
        public static let poisoned = Self(.poisoned)
        /// Configuration names something that is not there or contradicts itself.
        public static let misconfigured = Self(.misconfigured)
        /// Nothing else fits.
        public static let unknown = Self(.unknown)

        /// Every code, in the order of the documentation.
        public static var allCodes: [Self] { Base.allCases.map(Self.init) }

        public var description: String { base.rawValue }

        /// Whether such a failure ends an attempt: not the end of a job that waited for too long, or for bytes that never came.
        var isOfAttempt: Bool {
            switch base {
            case .expired, .destinationUnavailable, .sourceIncomplete: false
            default: true
            }
        }

        /// Whether a failure of this kind is tried again, unless its driver knows better.
        public var usualRetry: Retry {
            switch base {
            case .networkFailure, .serverFailure, .rateLimited, .noSpace, .destinationAway, .invalidResponse,
                .sessionExpired, .interrupted, .checksumMismatch, .unknown:
                .afterBackoff
            case .notAuthenticated, .wrongCredentials, .accessDenied, .destinationNotFound, .rejected,
                .preconditionFailed, .invalidFile, .sourceChanged, .sourceIncomplete, .expired, .cancelled, .poisoned,
                .misconfigured, .destinationUnavailable:
                .never
            }
        }
    }
}

extension UploadError.Code: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard name.unicodeScalars.count <= WireLimits.nameLengthMaximum else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "its text has more than \(WireLimits.nameLengthMaximum) characters")
        }
        self.init(named: name)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

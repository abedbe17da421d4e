extension PostgreSQLError {
    /// The kind of an error; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case accessRefused, cancelled, closed, conflict, connectionLost, connectionRefused, constraintViolated,
                damaged
            case diskFull, invalidConfiguration, invalidStatement, invalidValue, loginRefused, notFound, overloaded
            case readOnly, serverFailed, timedOut
        }

        private let kind: Kind

        /// The user may not do this to that object (42501).
        public static let accessRefused = Code(kind: .accessRefused)
        /// The calling task was cancelled, and the server gave up the statement.
        public static let cancelled = Code(kind: .cancelled)
        /// The connection or the client was closed by this program.
        public static let closed = Code(kind: .closed)
        /// The transaction met another one: a serialisation failure or a deadlock (class 40). The same transaction may succeed anew.
        public static let conflict = Code(kind: .conflict)
        /// The connection was lost while the call was under way.
        public static let connectionLost = Code(kind: .connectionLost)
        /// No server could be reached at any of the addresses, or each one refused the connection.
        public static let connectionRefused = Code(kind: .connectionRefused)
        /// The data would break a constraint (class 23).
        public static let constraintViolated = Code(kind: .constraintViolated)
        /// The server found its data damaged (class XX).
        public static let damaged = Code(kind: .damaged)
        /// The server's disk is full (53100).
        public static let diskFull = Code(kind: .diskFull)
        /// Connection parameters that cannot be used.
        public static let invalidConfiguration = Code(kind: .invalidConfiguration)
        /// A statement that the server does not understand, or that does not fit its tables (class 42).
        public static let invalidStatement = Code(kind: .invalidStatement)
        /// A value that its type cannot hold, here or at the server (class 22), or a column that is not of the asked type.
        public static let invalidValue = Code(kind: .invalidValue)
        /// The server does not know the user, or refuses the password (class 28).
        public static let loginRefused = Code(kind: .loginRefused)
        /// No such database (3D000).
        public static let notFound = Code(kind: .notFound)
        /// The server has no room for another connection, or no memory (class 53).
        public static let overloaded = Code(kind: .overloaded)
        /// The server is a stand-by, or was made read-only (25006).
        public static let readOnly = Code(kind: .readOnly)
        /// The server failed in another way.
        public static let serverFailed = Code(kind: .serverFailed)
        /// The server did not answer in time, or ended a statement or a wait for a lock for its time limit.
        public static let timedOut = Code(kind: .timedOut)

        public var description: String { kind.rawValue }

        var isUsuallyRetryable: Bool {
            switch kind {
            case .conflict, .connectionLost, .connectionRefused, .diskFull, .overloaded, .readOnly, .serverFailed,
                .timedOut:
                true
            case .accessRefused, .cancelled, .closed, .constraintViolated, .damaged, .invalidConfiguration,
                .invalidStatement, .invalidValue, .loginRefused, .notFound:
                false
            }
        }
    }
}

extension PostgreSQLError.Code {
    /// - Parameter sqlState: five characters of PostgreSQL, appendix A.
    init(sqlState: String) {
        self =
            switch sqlState {
            case "25006": .readOnly
            case "25P03", "25P04", "55P03", "57014": .timedOut
            case "3D000": .notFound
            case "42501": .accessRefused
            case "53100": .diskFull
            case "57P01", "57P02", "57P03", "57P05": .connectionLost
            default:
                switch sqlState.prefix(2) {
                case "08": .connectionLost
                // 54: a value is too large for the server, such as for an index.
                case "22", "54": .invalidValue
                case "23": .constraintViolated
                case "28": .loginRefused
                case "40": .conflict
                case "42": .invalidStatement
                case "53": .overloaded
                case "XX": .damaged
                default: .serverFailed
                }
            }
    }

    /// Whether the server closes the connection with such an error.
    static func closesConnection(sqlState: String) -> Bool {
        ["25P03", "25P04", "57P01", "57P02", "57P03", "57P05"].contains(sqlState) || sqlState.hasPrefix("08")
    }
}

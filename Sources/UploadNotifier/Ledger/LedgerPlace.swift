public import Logging
import PostgreSQL
public import Uploads

/// Where a ledger is kept.
public enum LedgerPlace: Hashable, Sendable {
    /// A SQLite file of one host.
    case file(path: String)
    /// A PostgreSQL database, which notifiers of several hosts reach. The password stands for one in the URL.
    case postgreSQL(url: String, password: String?)

    /// The beginnings of a URL of PostgreSQL.
    public static let schemes = ["postgres", "postgresql"]

    public static func isURL(_ text: String) -> Bool {
        schemes.contains { text.lowercased().hasPrefix("\($0)://") }
    }

    /// Opens the ledger, or makes a new one.
    /// - Parameters:
    ///   - shards: the shards of the namespace, which the notifiers of a database divide among themselves.
    ///   - isSharing: whether this notifier takes shards at once, and not when it is told to share.
    ///   - logger: logs rows that cannot be read.
    /// - Returns: nil while another notifier works with the file.
    /// - Throws: `misconfigured` for what an operator has to repair; `serverFailure` for an obstacle that may pass.
    public func openIfFree(
        shards: Shards = .one, isSharing: Bool = true, logger: Logger
    ) async throws(UploadError) -> (any NotifierLedger)? {
        switch self {
        case .file(let path): try Ledger.openIfFree(path: path, logger: logger)
        case .postgreSQL(let url, let password):
            try await PostgreSQLLedger.open(
                url, password: password, shards: shards, isSharing: isSharing, logger: logger)
        }
    }

    /// Reads the ledger beside the notifier that works with it.
    /// - Throws: `misconfigured` if there is no ledger, or one of another version.
    public func reader() async throws(UploadError) -> any LedgerReading {
        switch self {
        case .file(let path): try LedgerReader(path: path)
        case .postgreSQL(let url, let password): try await PostgreSQLLedgerReader.open(url, password: password)
        }
    }

    /// - Throws: `misconfigured` if the URL cannot be read.
    public func check() throws(UploadError) {
        guard case .postgreSQL(let url, let password) = self else { return }
        _ = try PostgreSQLLedger.configuration(url, password: password, schema: PostgreSQLLedger.standardSchema)
    }
}

extension LedgerPlace: CustomStringConvertible, CustomReflectable {
    /// Safe to log: holds no password.
    public var description: String {
        switch self {
        case .file(let path): path
        case .postgreSQL(let url, let password):
            (try? PostgreSQLLedger.configuration(url, password: password, schema: PostgreSQLLedger.standardSchema)
                .description) ?? "in PostgreSQL"
        }
    }

    /// Keeps `dump` from showing the password.
    public var customMirror: Mirror { Mirror(self, children: ["place": description]) }
}

/// The state of a ledger as a whole, for an operator.
public struct LedgerOverview: Hashable, Sendable {
    /// The database with its version: `SQLite 3.40.1`.
    public var database: String
    /// The number of the newest migration that made its tables, from 1.
    public var schema: Int
    public var bytes: Int64
    public var jobCount: Int
    /// The process that works with the ledger: `db1.internal, process 1234`. Nil when none does, as far as this host can see.
    public var holder: String?

    public init(database: String, schema: Int, bytes: Int64, jobCount: Int, holder: String?) {
        self.database = database
        self.schema = schema
        self.bytes = bytes
        self.jobCount = jobCount
        self.holder = holder
    }
}

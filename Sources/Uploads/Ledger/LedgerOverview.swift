/// The state of a ledger as a whole, for an operator.
public struct LedgerOverview: Hashable, Sendable {
    /// The database with its version: `SQLite 3.40.1`.
    public var database: String
    /// The number of the newest migration that made its tables, from 1.
    public var schema: Int
    public var bytes: Int64
    public var jobCount: Int
    /// The processes that work with the ledger, such as `db1.internal, process 1234`, and the shards that each has; for a SQLite file without
    /// shards. Empty when none does, as far as this host can see.
    public var holders: [String: [Int]]

    public init(database: String, schema: Int, bytes: Int64, jobCount: Int, holders: [String: [Int]]) {
        self.database = database
        self.schema = schema
        self.bytes = bytes
        self.jobCount = jobCount
        self.holders = holders
    }
}

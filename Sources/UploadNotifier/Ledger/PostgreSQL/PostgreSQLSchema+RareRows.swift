import PostgreSQL

extension PostgreSQLSchema {
    /// Milliseconds by which clocks may differ before a job is one that ``isAhead``: 5 minutes.
    static let clockDifferenceMaximum: Int64 = 300_000

    /// Whether a job came to its status more than ``clockDifferenceMaximum`` before it was enqueued, by clocks that differ. The index of these
    /// jobs has this very expression.
    static let isAhead = Statement(stringLiteral: "enqueued > since * 1000 + \(clockDifferenceMaximum)")

    /// Indexes of the few jobs that are left out where a search or a count relies on what nearly all jobs are.
    static let rareRows: [Statement] = [
        "CREATE INDEX jobs_ahead ON jobs (enqueued, seq) WHERE \(isAhead)",
        "CREATE INDEX jobs_forgotten ON jobs (seq) WHERE forgotten IS NOT NULL",
    ]
}

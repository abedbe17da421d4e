import PostgreSQL

extension PostgreSQLSchema {
    /// Indexes of the few jobs that are left out where a search or a count relies on what nearly all jobs are.
    static let rareRows: [Statement] = [
        Statement(stringLiteral: "CREATE INDEX jobs_ahead ON jobs (enqueued, seq) WHERE \(JobsAhead.condition)"),
        "CREATE INDEX jobs_forgotten ON jobs (seq) WHERE forgotten IS NOT NULL",
    ]
}

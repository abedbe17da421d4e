import GRDB

/// The rows that follow from those of the jobs which one transaction writes.
struct DerivedRows {
    var texts = JobTexts()
    var tallies = JobTallies()

    /// Call it once, after the rows of the jobs.
    func write(in db: Database) throws {
        try texts.write(in: db)
        try tallies.write(in: db)
    }
}

import PostgreSQL

/// Asks the index by trigrams for the jobs of one block after the other. A block is all jobs whose numbers agree but for the last bits.
///
/// The trigrams alone know no order: a text that half of all jobs have, the old half, would be found in half a million places before the
/// newest of them could be shown. So the index begins with the block.
enum TextBlocks {
    /// The block of a row of `texts`. The index has this very expression, so another one needs a migration.
    static let block: Statement = "(job >> 16)"

    /// The statement that finds the next jobs whose texts meet a condition, in the order of their numbers.
    ///
    /// The server sorts the jobs of a block when it has found them, and asks for the next block only while some are missing. OFFSET keeps it from
    /// joining the blocks in another way.
    /// - Parameters:
    ///   - match: a condition that the index can answer.
    ///   - range: a condition on the number.
    static func candidates(
        _ match: Statement, _ range: Statement, isNewestFirst: Bool, limit: Int
    ) -> Statement {
        let (first, last, step): (Statement, Statement, Statement) =
            isNewestFirst ? ("max", "min", "-1") : ("min", "max", "1")
        let direction: Statement = isNewestFirst ? "DESC" : "ASC"
        return """
            SELECT found.job FROM (
                SELECT generate_series(
                    (SELECT \(first)(job) FROM texts WHERE \(range)) >> 16, (SELECT \(last)(job) FROM texts) >> 16, \(step)
                ) AS block ORDER BY block \(direction)
            ) AS blocks CROSS JOIN LATERAL (
                SELECT job FROM texts WHERE \(block) = blocks.block AND \(match) AND \(range) OFFSET 0
            ) AS found ORDER BY blocks.block \(direction), found.job \(direction) LIMIT \(Int64(limit))
            """
    }
}

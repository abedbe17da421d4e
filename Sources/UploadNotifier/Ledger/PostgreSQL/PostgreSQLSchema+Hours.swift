import PostgreSQL

extension PostgreSQLSchema {
    /// The jobs that ended in each hour, so that a month's history reads no minutes. The triggers keep them as they keep the minutes.
    static let hours: [Statement] = [
        """
        CREATE TABLE throughput_hours (
            queue text COLLATE "C" NOT NULL,
            hour bigint NOT NULL,
            digit text COLLATE "C" NOT NULL DEFAULT '0',
            completed bigint NOT NULL,
            failed bigint NOT NULL,
            cancelled bigint NOT NULL,
            bytes numeric NOT NULL,
            PRIMARY KEY (queue, hour, digit)
        )
        """,
        """
        INSERT INTO throughput_hours (queue, hour, digit, completed, failed, cancelled, bytes)
        SELECT queue, minute / 60, digit, sum(completed), sum(failed), sum(cancelled), sum(bytes) FROM throughput
        GROUP BY 1, 2, 3
        """,
        """
        CREATE OR REPLACE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO tallies (queue, destination, status, digit, jobs, bytes)
            SELECT queue, destination, status, right(id, 1), count(*), sum(size) FROM new_rows
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            \(addingToTallies);
            \(countingEnds(of: "new_rows AS ended", inMinutes: true));
            \(countingEnds(of: "new_rows AS ended", inMinutes: false));
            RETURN NULL;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION count_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO tallies (queue, destination, status, digit, jobs, bytes)
            SELECT queue, destination, status, digit, sum(jobs), sum(bytes) FROM (
                SELECT queue, destination, status, right(id, 1) AS digit, 1 AS jobs, size AS bytes FROM new_rows
                UNION ALL SELECT queue, destination, status, right(id, 1), -1, -size FROM old_rows
            ) AS changes GROUP BY 1, 2, 3, 4 HAVING sum(jobs) <> 0 OR sum(bytes) <> 0 ORDER BY 1, 2, 3, 4
            \(addingToTallies);
            \(countingEnds(of: changed, inMinutes: true));
            \(countingEnds(of: changed, inMinutes: false));
            RETURN NULL;
        END $$
        """,
    ]

    /// The rows that have another status now.
    private static let changed: Statement = """
        new_rows AS ended JOIN old_rows ON old_rows.seq = ended.seq AND ended.status <> old_rows.status
        """

    /// Adds the ended jobs of some rows to their minutes or hours.
    private static func countingEnds(of rows: Statement, inMinutes: Bool) -> Statement {
        let (table, unit, seconds): (Statement, Statement, Statement) =
            inMinutes ? ("throughput", "minute", "60") : ("throughput_hours", "hour", "3600")
        return """
            INSERT INTO \(table) (queue, \(unit), digit, completed, failed, cancelled, bytes)
            SELECT ended.queue, floor(ended.since / \(seconds)), right(ended.id, 1),
            count(*) FILTER (WHERE ended.status = 'completed'), count(*) FILTER (WHERE ended.status = 'failed'),
            count(*) FILTER (WHERE ended.status = 'cancelled'),
            coalesce(sum(ended.size) FILTER (WHERE ended.status = 'completed'), 0)
            FROM \(rows) WHERE ended.status IN ('completed', 'failed', 'cancelled') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (queue, \(unit), digit) DO UPDATE SET completed = \(table).completed + excluded.completed,
            failed = \(table).failed + excluded.failed, cancelled = \(table).cancelled + excluded.cancelled,
            bytes = \(table).bytes + excluded.bytes
            """
    }
}

/// Sums of bytes that any number of jobs of any size cannot overflow. SQLite turns a sum that does not fit into 64 bits into a number
/// with a fraction, which a STRICT table refuses, with all that its transaction has recorded.
///
/// A sum is `over * 2^62 + bytes`, with `bytes` from 0 to 2^62 - 1: `over` is 0 for every realistic sum, so `bytes` is the sum for a
/// person who looks at the file. Adding a job cuts nothing off, so removing it leaves the right rest.
///
/// A damaged row may hold any number. Counts from there stay within bounds, so that no damaged row keeps a job from being recorded.
enum LedgerSums {
    private static let mask = "4611686018427387903"
    /// Far above every realistic count, and far enough below 2^63 that counting up from it does not overflow.
    private static let countMaximum = "2305843009213693952"

    /// SQL for a count that is raised by one, or by several, and is never below 0.
    private static func up(_ count: String, by more: String = "1") -> String {
        "\(count) = max(min(\(count) + \(more), \(countMaximum)), 0)"
    }

    /// 2^62, of which `over` counts the multiples.
    static let part = "4611686018427387904"
    /// SQL for the two parts of a row's sum, also where a damaged row has other numbers than triggers write.
    static let rest = low("bytes")
    static let parts = "max(min(over + \(high("bytes")), \(countMaximum)), -\(countMaximum))"

    /// The sum of the two parts, or the largest number if it does not fit.
    static func sum(bytes: Int64, over: Int64) -> Int64 { over > 0 ? .max : over < 0 ? 0 : bytes }

    private static func low(_ size: String) -> String { "(\(size) & \(mask))" }

    private static func high(_ size: String) -> String { "(\(size) >> 62)" }

    /// The two parts of a sum, or of a change of one: 0 to 2^62 - 1, and what is beyond, below 0 for a change that is.
    static func parts(of bytes: Int128) -> (bytes: Int64, over: Int64) {
        (Int64(bytes & ((1 << 62) - 1)), Int64(clamping: bytes >> 62))
    }

    /// SQL that changes a tally: queue, destination, status, the jobs that come less those that go, and the two parts of their bytes.
    /// Only jobs that come make a row.
    static let tallySQL = """
        INSERT INTO tallies (queue, destination, status, jobs, bytes, over)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6
        WHERE ?4 > 0 OR EXISTS (SELECT 1 FROM tallies WHERE queue = ?1 AND destination = ?2 AND status = ?3)
        ON CONFLICT DO UPDATE SET \(up("jobs", by: "excluded.jobs")), \(add)
        """

    /// SQL that adds ended jobs: queue, minute or hour, completed, failed and cancelled ones, and the two parts of the completed ones' bytes.
    static let throughputSQL = adding(to: "throughput", "minute")
    static let hoursSQL = adding(to: "throughput_hours", "hour")

    private static func adding(to table: String, _ unit: String) -> String {
        """
        INSERT INTO \(table) (queue, \(unit), completed, failed, cancelled, bytes, over) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET \(up("completed", by: "excluded.completed")),
        \(up("failed", by: "excluded.failed")), \(up("cancelled", by: "excluded.cancelled")), \(add)
        """
    }

    /// SQL for the jobs of a queue that ended, by bucket: the minutes or hours of a bucket, the queue, and the first and the last minute or
    /// hour. No number of rows, and no damaged row, lets a sum overflow: the bytes are summed in parts of 31 bits.
    static func historySQL(countsHours: Bool) -> String {
        let (table, unit) = countsHours ? ("throughput_hours", "hour") : ("throughput", "minute")
        func sum(_ column: String) -> String { "sum(max(min(\(column), 1 << 40), 0)) AS \(column)" }
        return """
            SELECT \(unit) / ? AS bucket, \(sum("completed")), \(sum("failed")), \(sum("cancelled")),
            sum(bytes >> 31) AS high, sum(bytes & 2147483647) AS low, sum(max(min(over, 1 << 31), -(1 << 31))) AS over
            FROM \(table) WHERE queue = ? AND \(unit) >= ? AND \(unit) < ? GROUP BY bucket
            """
    }

    /// The sum of the parts of a bucket's bytes, or the largest number if it does not fit.
    static func sum(high: Int64, low: Int64, over: Int64) -> Int64 {
        Int64(clamping: max(Int128(over) << 62 + Int128(high) << 31 + Int128(low), 0))
    }

    /// SQL for both parts after a change of `bytes`, which stays between -2^62 and 2^63, and of `over`.
    private static func change(bytes: String, over: String) -> String {
        """
        bytes = (\(bytes)) & \(mask), over = max(min(\(over) + ((\(bytes)) >> 62), \(countMaximum)), -\(countMaximum))
        """
    }

    private static let add = change(bytes: "bytes + excluded.bytes", over: "over + excluded.over")

    /// SQL that adds the job of the new row to its tally.
    private static let join = """
        INSERT INTO tallies (queue, destination, status, jobs, bytes, over)
        VALUES (new.queue, new.destination, new.status, 1, \(low("new.size")), \(high("new.size")))
        ON CONFLICT DO UPDATE SET \(up("jobs")), \(add);
        """

    /// SQL that removes the job of the old row from its tally.
    private static let leave = """
        UPDATE tallies SET \(up("jobs", by: "-1")),
        \(change(bytes: "bytes - \(low("old.size"))", over: "over - \(high("old.size"))"))
        WHERE queue = old.queue AND destination = old.destination AND status = old.status;
        """

    private static let resize = change(
        bytes: "bytes - \(low("old.size")) + \(low("new.size"))",
        over: "over - \(high("old.size")) + \(high("new.size"))")

    private static let end = """
        INSERT INTO throughput (queue, minute, completed, failed, cancelled, bytes, over) VALUES (
            new.queue, CAST(new.since / 60 AS INTEGER), new.status = 'completed', new.status = 'failed',
            new.status = 'cancelled', iif(new.status = 'completed', \(low("new.size")), 0),
            iif(new.status = 'completed', \(high("new.size")), 0)
        ) ON CONFLICT DO UPDATE SET \(up("completed", by: "excluded.completed")),
        \(up("failed", by: "excluded.failed")), \(up("cancelled", by: "excluded.cancelled")), \(add);
        """

    static let columns = """
        ALTER TABLE tallies ADD COLUMN over INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE throughput ADD COLUMN over INTEGER NOT NULL DEFAULT 0;
        UPDATE tallies SET bytes = \(low("bytes")), over = \(high("bytes"));
        UPDATE throughput SET bytes = \(low("bytes")), over = \(high("bytes"));
        """

    /// SQL that sums the minutes up to hours, row by row: an upsert adds the parts without an overflow.
    static let hoursOfMinutes = """
        INSERT INTO throughput_hours (queue, hour, completed, failed, cancelled, bytes, over)
        SELECT queue, minute / 60, completed, failed, cancelled, bytes, over FROM throughput WHERE true
        ON CONFLICT DO UPDATE SET \(up("completed", by: "excluded.completed")),
        \(up("failed", by: "excluded.failed")), \(up("cancelled", by: "excluded.cancelled")), \(add);
        """

    /// The triggers, which replace the earlier ones.
    static let triggers = """
        DROP TRIGGER jobs_added;
        DROP TRIGGER jobs_ended_at_once;
        DROP TRIGGER jobs_moved;
        DROP TRIGGER jobs_ended;
        DROP TRIGGER jobs_sized;
        DROP TRIGGER jobs_forgotten;
        CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
            \(join)
        END;
        CREATE TRIGGER jobs_ended_at_once AFTER INSERT ON jobs
        WHEN new.status IN ('completed', 'failed', 'cancelled') BEGIN
            \(end)
        END;
        CREATE TRIGGER jobs_moved AFTER UPDATE OF status ON jobs WHEN new.status <> old.status BEGIN
            \(leave)
            \(join)
        END;
        CREATE TRIGGER jobs_ended AFTER UPDATE OF status ON jobs
        WHEN new.status <> old.status AND new.status IN ('completed', 'failed', 'cancelled') BEGIN
            \(end)
        END;
        CREATE TRIGGER jobs_sized AFTER UPDATE OF size ON jobs
        WHEN new.size <> old.size AND new.status = old.status BEGIN
            UPDATE tallies SET \(resize)
            WHERE queue = new.queue AND destination = new.destination AND status = new.status;
        END;
        CREATE TRIGGER jobs_forgotten AFTER DELETE ON jobs BEGIN
            \(leave)
        END;
        """
}

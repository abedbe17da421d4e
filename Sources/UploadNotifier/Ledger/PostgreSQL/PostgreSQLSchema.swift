import Foundation
import PostgreSQL
import Uploads

/// The tables of a ledger in PostgreSQL, as a list of migrations in their order. A migration that was shipped is never changed.
///
/// Names of files, keys, batches and events may hold any character but are text elsewhere; they are `bytea` here, since PostgreSQL's text
/// holds no U+0000. Times are seconds since 1970.
enum PostgreSQLSchema {
    static let migrations: [[Step]] = [
        [.statements(first)], [.statements(sharded)], [.statements(facts), .facts, .statements(factIndexes)],
        [.statements(hours)], [.statements(audited)], [.statements(rareRows)], [.statements(textBlocks)],
    ]

    /// A part of a migration.
    enum Step: Sendable {
        case statements([Statement])
        /// Fills the columns of `JobFacts`: the records are compressed, and the server cannot read them.
        case facts
    }

    /// The lock that one notifier of several takes to migrate ("LngS").
    private static let lock: Int64 = 0x4C6E_6753

    /// Makes the missing tables. Of several notifiers that start at once, one does it, and the others wait for it.
    /// - Parameters:
    ///   - isForCopy: whether the ledger may be an unfinished copy.
    ///   - newest: the version that the tables will have; tests make those of an earlier one.
    /// - Throws: `misconfigured` if a newer version has made the tables.
    static func bringUpToDate(
        _ client: PostgreSQLClient, schema: String, isForCopy: Bool = false, to newest: Int = migrations.count
    ) async throws {
        try await client.transaction { transaction in
            try await transaction.execute("SELECT pg_advisory_xact_lock(\(lock))")
            // With IF NOT EXISTS the server would want the right to make a schema although it is there.
            let found = try await transaction.execute(
                "SELECT count(*) AS count FROM pg_namespace WHERE nspname = \(schema)")
            if try found[0].get("count", as: Int64.self) == 0 {
                try await transaction.execute(Statement(stringLiteral: "CREATE SCHEMA \"\(schema)\""))
            }
            try await transaction.execute(
                "CREATE TABLE IF NOT EXISTS migrations (version bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
            )
            if !isForCopy, try await hasTable("copying", transaction.execute, schema: schema) {
                throw LedgerCopy.unfinished(client.configuration.description)
            }
            let version: Int64 = try await transaction.execute(
                "SELECT coalesce(max(version), 0) AS version FROM migrations"
            )[0].get("version")
            guard version <= migrations.count else {
                throw UploadError(
                    .misconfigured,
                    "the ledger's tables were made by a newer version; update this program or name another database")
            }
            for (index, steps) in migrations.prefix(newest).enumerated().dropFirst(Int(version)) {
                for step in steps {
                    switch step {
                    case .statements(let statements): try await transaction.execute(statements)
                    case .facts: try await fillFacts(in: transaction)
                    }
                }
                try await transaction.execute("INSERT INTO migrations (version) VALUES (\(Int64(index + 1)))")
            }
        }
    }

    /// - Throws: `misconfigured` if the tables are not those of this version.
    static func check(_ client: PostgreSQLClient, schema: String) async throws {
        guard try await hasTable("migrations", client.execute, schema: schema) else {
            throw UploadError(
                .misconfigured,
                "the database has no ledger; name the one that the notifier uses (its 'notifier.ledger'), or start the "
                    + "notifier, which makes it")
        }
        guard try await !hasTable("copying", client.execute, schema: schema) else {
            throw LedgerCopy.unfinished(client.configuration.description)
        }
        let newest = try await client.execute("SELECT max(version) AS version FROM migrations")
        guard try newest[0].getIfPresent("version", as: Int64.self) == Int64(migrations.count) else {
            throw UploadError(
                .misconfigured,
                "the ledger is of another version than this program; start the notifier of this version once")
        }
    }

    private static func hasTable(
        _ name: String, _ execute: (Statement) async throws(PostgreSQLError) -> Rows, schema: String
    ) async throws -> Bool {
        let found = try await execute(
            """
            SELECT count(*) AS count FROM information_schema.tables
            WHERE table_schema = \(schema) AND table_name = \(name)
            """)
        return try found[0].get("count", as: Int64.self) > 0
    }

    private static let first: [Statement] = tables + indexes + sums + removing

    private static let tables: [Statement] = [
        "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public",
        """
        CREATE TABLE identity (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),
            id text NOT NULL,
            opening text NOT NULL,
            pending text,
            last_event bigint NOT NULL DEFAULT 0
        )
        """,
        "INSERT INTO identity (id, opening) VALUES (gen_random_uuid()::text, gen_random_uuid()::text)",
        // A transaction that decides holds the row of the shard until its end, so that decisions come one after the other.
        // The holder is the notifier that writes (`PostgreSQLLeases`).
        """
        CREATE TABLE shards (
            shard smallint PRIMARY KEY,
            epoch bigint NOT NULL DEFAULT 0,
            holder text,
            held_until timestamptz
        )
        """,
        "INSERT INTO shards (shard) VALUES (0)",
        // A row for each transaction whose outcome its notifier may have to look up.
        "CREATE TABLE commits (token uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
        """
        CREATE TABLE jobs (
            seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text COLLATE "C" NOT NULL UNIQUE,
            queue text COLLATE "C" NOT NULL,
            destination text COLLATE "C" NOT NULL,
            key bytea,
            status text COLLATE "C" NOT NULL,
            since double precision NOT NULL,
            enqueued bigint NOT NULL,
            size bigint NOT NULL,
            batch bytea,
            idempotency bytea,
            staged bytea,
            forgotten double precision,
            keeps_pause boolean NOT NULL,
            is_settled boolean NOT NULL,
            state bytea,
            initial_state bytea,
            record bytea NOT NULL
        )
        """,
        // Apart from the jobs, whose rows are written anew with every change: the index by trigrams is expensive.
        "CREATE TABLE texts (job bigint PRIMARY KEY, text text NOT NULL)",
        "CREATE TABLE wholes (job bigint PRIMARY KEY, body bytea NOT NULL)",
        """
        CREATE TABLE events (
            seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            job bigint NOT NULL,
            name bytea NOT NULL,
            kind text COLLATE "C" NOT NULL,
            queue text COLLATE "C" NOT NULL,
            told double precision NOT NULL,
            state bytea,
            body bytea NOT NULL
        )
        """,
        """
        CREATE TABLE deliveries (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            delegate text COLLATE "C" NOT NULL,
            outcome bytea NOT NULL,
            job bigint NOT NULL,
            event bigint NOT NULL,
            attempts bigint NOT NULL DEFAULT 0,
            due double precision NOT NULL,
            delivered double precision,
            error text,
            created double precision NOT NULL,
            failing double precision,
            given_up double precision
        )
        """,
        """
        CREATE TABLE attempts (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            delivery bigint NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
            at double precision NOT NULL,
            seconds double precision NOT NULL,
            status bigint,
            answer text,
            error text
        )
        """,
        """
        CREATE TABLE delegates (
            name text COLLATE "C" PRIMARY KEY,
            paused double precision NOT NULL,
            reason text NOT NULL,
            held boolean NOT NULL
        )
        """,
        """
        CREATE TABLE registered (
            name text COLLATE "C" PRIMARY KEY,
            definition bytea NOT NULL,
            created double precision NOT NULL,
            changed double precision NOT NULL,
            removed double precision
        )
        """,
        """
        CREATE TABLE owed (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            job text COLLATE "C" NOT NULL,
            body bytea NOT NULL
        )
        """,
        """
        CREATE TABLE orders (
            id text COLLATE "C" PRIMARY KEY,
            at double precision NOT NULL,
            body bytea NOT NULL,
            progress bytea NOT NULL
        )
        """,
        """
        CREATE TABLE holds (
            job text COLLATE "C" PRIMARY KEY,
            queue text COLLATE "C" NOT NULL,
            due double precision NOT NULL,
            needs_worker boolean NOT NULL
        )
        """,
        """
        CREATE TABLE line (
            job text COLLATE "C" PRIMARY KEY,
            queue text COLLATE "C" NOT NULL,
            number bigint
        )
        """,
        """
        CREATE TABLE unreadable (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            at double precision NOT NULL,
            reason text NOT NULL,
            type text,
            digest bytea NOT NULL,
            body bytea NOT NULL,
            size bigint NOT NULL,
            envelope bytea,
            replayed double precision,
            replayed_by text
        )
        """,
        """
        CREATE TABLE tallies (
            queue text COLLATE "C" NOT NULL,
            destination text COLLATE "C" NOT NULL,
            status text COLLATE "C" NOT NULL,
            jobs bigint NOT NULL,
            bytes numeric NOT NULL,
            PRIMARY KEY (queue, destination, status)
        )
        """,
        """
        CREATE TABLE throughput (
            queue text COLLATE "C" NOT NULL,
            minute bigint NOT NULL,
            completed bigint NOT NULL,
            failed bigint NOT NULL,
            cancelled bigint NOT NULL,
            bytes numeric NOT NULL,
            PRIMARY KEY (queue, minute)
        )
        """,
    ]

    /// A row of an index has room for 2,700 bytes, and a name may be longer: indexes have digests of names.
    private static let indexes: [Statement] = [
        "CREATE UNIQUE INDEX events_once ON events (job, sha256(name))",
        "CREATE UNIQUE INDEX deliveries_once ON deliveries (job, sha256(outcome), delegate)",
        "CREATE INDEX jobs_by_status ON jobs (status, since)",
        "CREATE INDEX jobs_by_key ON jobs (destination, sha256(key))",
        "CREATE INDEX jobs_by_time ON jobs (enqueued, seq)",
        "CREATE INDEX jobs_by_scope ON jobs (queue, destination, status, enqueued, seq)",
        "CREATE INDEX jobs_by_batch ON jobs (sha256(batch), enqueued, seq) WHERE batch IS NOT NULL",
        "CREATE INDEX jobs_by_idempotency ON jobs (sha256(idempotency), enqueued, seq) WHERE idempotency IS NOT NULL",
        "CREATE INDEX jobs_by_staged ON jobs (sha256(staged)) WHERE staged IS NOT NULL",
        "CREATE INDEX texts_by_trigram ON texts USING gin (text public.gin_trgm_ops)",
        "CREATE INDEX deliveries_due ON deliveries (delegate, due, id) WHERE delivered IS NULL AND given_up IS NULL",
        "CREATE INDEX deliveries_given_up ON deliveries (delegate, id) WHERE given_up IS NOT NULL",
        "CREATE INDEX deliveries_delivered ON deliveries (delegate, delivered) WHERE delivered IS NOT NULL",
        "CREATE INDEX deliveries_by_delegate ON deliveries (delegate, id)",
        "CREATE INDEX attempts_by_delivery ON attempts (delivery, id)",
        "CREATE INDEX owed_by_job ON owed (job)",
        "CREATE INDEX holds_by_queue ON holds (queue, due)",
        "CREATE INDEX line_by_number ON line (queue, number, job)",
        "CREATE UNIQUE INDEX unreadable_once ON unreadable (digest) WHERE replayed IS NULL",
    ]

    /// Tallies and throughput, by triggers that see all rows of a statement at once.
    private static let sums: [Statement] = [
        """
        CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO tallies
            SELECT queue, destination, status, count(*), sum(size) FROM new_rows GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (queue, destination, status)
            DO UPDATE SET jobs = tallies.jobs + excluded.jobs, bytes = tallies.bytes + excluded.bytes;
            INSERT INTO throughput
            SELECT queue, floor(since / 60), count(*) FILTER (WHERE status = 'completed'),
            count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'cancelled'),
            coalesce(sum(size) FILTER (WHERE status = 'completed'), 0)
            FROM new_rows WHERE status IN ('completed', 'failed', 'cancelled') GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (queue, minute) DO UPDATE SET completed = throughput.completed + excluded.completed,
            failed = throughput.failed + excluded.failed, cancelled = throughput.cancelled + excluded.cancelled,
            bytes = throughput.bytes + excluded.bytes;
            RETURN NULL;
        END $$
        """,
        """
        CREATE FUNCTION count_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO tallies
            SELECT queue, destination, status, sum(jobs), sum(bytes) FROM (
                SELECT queue, destination, status, 1 AS jobs, size AS bytes FROM new_rows
                UNION ALL SELECT queue, destination, status, -1, -size FROM old_rows
            ) AS changes GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0 OR sum(bytes) <> 0 ORDER BY 1, 2, 3
            ON CONFLICT (queue, destination, status)
            DO UPDATE SET jobs = tallies.jobs + excluded.jobs, bytes = tallies.bytes + excluded.bytes;
            INSERT INTO throughput
            SELECT new_rows.queue, floor(new_rows.since / 60), count(*) FILTER (WHERE new_rows.status = 'completed'),
            count(*) FILTER (WHERE new_rows.status = 'failed'), count(*) FILTER (WHERE new_rows.status = 'cancelled'),
            coalesce(sum(new_rows.size) FILTER (WHERE new_rows.status = 'completed'), 0)
            FROM new_rows JOIN old_rows USING (seq)
            WHERE new_rows.status IN ('completed', 'failed', 'cancelled') AND new_rows.status <> old_rows.status
            GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (queue, minute) DO UPDATE SET completed = throughput.completed + excluded.completed,
            failed = throughput.failed + excluded.failed, cancelled = throughput.cancelled + excluded.cancelled,
            bytes = throughput.bytes + excluded.bytes;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER jobs_added AFTER INSERT ON jobs REFERENCING NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION count_added()
        """,
        """
        CREATE TRIGGER jobs_changed AFTER UPDATE ON jobs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION count_changed()
        """,
    ]

    /// The rows of other tables go with a job's row, also when an operator deletes that.
    private static let removing: [Statement] = [
        """
        CREATE FUNCTION remove_with_jobs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO tallies
            SELECT queue, destination, status, -count(*), -sum(size) FROM old_rows GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (queue, destination, status)
            DO UPDATE SET jobs = tallies.jobs + excluded.jobs, bytes = tallies.bytes + excluded.bytes;
            UPDATE identity SET last_event = greatest(last_event, (SELECT max(seq) FROM events));
            DELETE FROM deliveries WHERE job IN (SELECT seq FROM old_rows);
            DELETE FROM events WHERE job IN (SELECT seq FROM old_rows);
            DELETE FROM texts WHERE job IN (SELECT seq FROM old_rows);
            DELETE FROM wholes WHERE job IN (SELECT seq FROM old_rows);
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER jobs_removed AFTER DELETE ON jobs REFERENCING OLD TABLE AS old_rows
        FOR EACH STATEMENT EXECUTE FUNCTION remove_with_jobs()
        """,
    ]

    /// What operators have ordered.
    private static let audited: [Statement] = [
        """
        CREATE TABLE audit (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            order_id text COLLATE "C" NOT NULL UNIQUE,
            at double precision NOT NULL,
            by text NOT NULL,
            verb text COLLATE "C" NOT NULL,
            subject text NOT NULL,
            job text COLLATE "C",
            matched bigint NOT NULL,
            done bigint,
            reason text
        )
        """
    ]

    static let addingToTallies: Statement = """
        ON CONFLICT (queue, destination, status, digit)
        DO UPDATE SET jobs = tallies.jobs + excluded.jobs, bytes = tallies.bytes + excluded.bytes
        """
    private static let addingToThroughput: Statement = """
        ON CONFLICT (queue, minute, digit) DO UPDATE SET completed = throughput.completed + excluded.completed,
        failed = throughput.failed + excluded.failed, cancelled = throughput.cancelled + excluded.cancelled,
        bytes = throughput.bytes + excluded.bytes
        """

    /// Rows for all shards, and sums with a row for each digit of the jobs' ids, so that transactions of different shards change no common row.
    private static let sharded: [Statement] =
        [
            "INSERT INTO shards (shard) SELECT generate_series(1, 15)",
            "CREATE TABLE notifiers (id uuid PRIMARY KEY, name text NOT NULL, seen timestamptz NOT NULL)",
            // Counts the changes of the registered delegates.
            "ALTER TABLE identity ADD COLUMN delegates bigint NOT NULL DEFAULT 0",
        ]
        + ["tallies (queue, destination, status, digit)", "throughput (queue, minute, digit)"].flatMap { key in
            let table = key.prefix { $0 != " " }
            return [
                Statement(
                    stringLiteral: "ALTER TABLE \(table) ADD COLUMN digit text COLLATE \"C\" NOT NULL DEFAULT '0'"),
                Statement(stringLiteral: "ALTER TABLE \(table) DROP CONSTRAINT \(table)_pkey"),
                Statement(stringLiteral: "ALTER TABLE \(table) ADD PRIMARY KEY \(key.dropFirst(table.count + 1))"),
            ]
        } + [
            """
            CREATE OR REPLACE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO tallies (queue, destination, status, digit, jobs, bytes)
                SELECT queue, destination, status, right(id, 1), count(*), sum(size) FROM new_rows
                GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                \(addingToTallies);
                INSERT INTO throughput (queue, minute, digit, completed, failed, cancelled, bytes)
                SELECT queue, floor(since / 60), right(id, 1), count(*) FILTER (WHERE status = 'completed'),
                count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'cancelled'),
                coalesce(sum(size) FILTER (WHERE status = 'completed'), 0)
                FROM new_rows WHERE status IN ('completed', 'failed', 'cancelled') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                \(addingToThroughput);
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
                INSERT INTO throughput (queue, minute, digit, completed, failed, cancelled, bytes)
                SELECT new_rows.queue, floor(new_rows.since / 60), right(new_rows.id, 1),
                count(*) FILTER (WHERE new_rows.status = 'completed'), count(*) FILTER (WHERE new_rows.status = 'failed'),
                count(*) FILTER (WHERE new_rows.status = 'cancelled'),
                coalesce(sum(new_rows.size) FILTER (WHERE new_rows.status = 'completed'), 0)
                FROM new_rows JOIN old_rows USING (seq)
                WHERE new_rows.status IN ('completed', 'failed', 'cancelled') AND new_rows.status <> old_rows.status
                GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                \(addingToThroughput);
                RETURN NULL;
            END $$
            """,
            """
            CREATE OR REPLACE FUNCTION remove_with_jobs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO tallies (queue, destination, status, digit, jobs, bytes)
                SELECT queue, destination, status, right(id, 1), -count(*), -sum(size) FROM old_rows
                GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                \(addingToTallies);
                UPDATE identity SET last_event = greatest(last_event, (SELECT max(seq) FROM events));
                DELETE FROM deliveries WHERE job IN (SELECT seq FROM old_rows);
                DELETE FROM events WHERE job IN (SELECT seq FROM old_rows);
                DELETE FROM texts WHERE job IN (SELECT seq FROM old_rows);
                DELETE FROM wholes WHERE job IN (SELECT seq FROM old_rows);
                RETURN NULL;
            END $$
            """,
        ]
}

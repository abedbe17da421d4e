/// The tables of a ledger. A change of a schema that adds a column or a table changes this list, too.
extension LedgerTable {
    /// All tables, in the order in which they are copied: rows come after the rows that they name. `identity` is not among them: the last
    /// transaction of a copy writes it.
    static let all = [
        jobs, wholes, events, deliveries, attempts, delegates, registered, owed, orders, holds, line, unreadable,
        tallies, throughput, hours, audit,
    ]

    /// Tables with numbered rows, and the columns of their numbers.
    static let numbered = [
        "jobs": "seq", "events": "seq", "deliveries": "id", "attempts": "id", "owed": "id", "unreadable": "id",
        "audit": "id",
    ]

    /// `text` is a column of the jobs in SQLite, and a table of its own in PostgreSQL.
    private static let jobs = LedgerTable(
        "jobs", key: "seq",
        columns: [
            .integer("seq"), .text("id"), .text("queue"), .text("destination"), .name("key"), .text("status"),
            .real("since"), .integer("enqueued"), .integer("size"), .name("batch"), .name("idempotency"),
            .name("staged"), .real("forgotten"),
            Column(name: "text", kind: .text, postgreSQL: "coalesce(texts.text, '')"), .bytes("record"),
            .text("code"), .name("client"), .boolean("keeps_pause"), .derived("is_settled", .boolean),
            .derived("state", .bytes),
            .derived("initial_state", .bytes),
        ])

    /// An order is left over where an operator has deleted its job without foreign keys. SQLite gives the job's number again, so a copy
    /// leaves such an order out.
    private static let wholes = LedgerTable(
        "wholes", key: "job", columns: [.integer("job"), .bytes("body")],
        condition: "EXISTS (SELECT 1 FROM jobs WHERE jobs.seq = wholes.job)")

    /// Without the row that only keeps a number from being given again (`SQLiteCopyDestination`).
    private static let events = LedgerTable(
        "events", key: "seq",
        columns: [
            .integer("seq"), .integer("job"), .name("name"), .text("kind"), .text("queue"), .bytes("body"),
            .derived("told", .real), .derived("state", .bytes),
        ], condition: "events.kind <> ''")

    private static let deliveries = LedgerTable(
        "deliveries", key: "id",
        columns: [
            .integer("id"), .text("delegate"), .name("outcome"), .integer("job"), .integer("event"),
            .integer("attempts"), .real("due"), .real("delivered"), .text("error"), .real("created"), .real("failing"),
            .real("given_up"),
        ])

    /// Attempts are left over in the same way as orders (`wholes`).
    private static let attempts = LedgerTable(
        "attempts", key: "id",
        columns: [
            .integer("id"), .integer("delivery"), .real("at"), .real("seconds"), .integer("status"), .text("answer"),
            .text("error"),
        ], condition: "EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = attempts.delivery)")

    private static let delegates = LedgerTable(
        "delegates", key: "name", columns: [.text("name"), .real("paused"), .text("reason"), .boolean("held")])

    private static let registered = LedgerTable(
        "registered", key: "name",
        columns: [.text("name"), .bytes("definition"), .real("created"), .real("changed"), .real("removed")])

    private static let owed = LedgerTable(
        "owed", key: "id", columns: [.integer("id"), .text("job"), .bytes("body")])

    private static let orders = LedgerTable(
        "orders", key: "id", columns: [.text("id"), .real("at"), .bytes("body"), .bytes("progress")])

    private static let holds = LedgerTable(
        "holds", key: "job", columns: [.text("job"), .text("queue"), .real("due"), .boolean("needs_worker")])

    private static let line = LedgerTable(
        "line", key: "job", columns: [.text("job"), .text("queue"), .integer("number")])

    private static let unreadable = LedgerTable(
        "unreadable", key: "id",
        columns: [
            .integer("id"), .real("at"), .text("reason"), .bytes("digest"), .bytes("body"), .integer("size"),
            .bytes("envelope"), .real("replayed"), .text("replayed_by"), .derived("type", .text),
        ])

    private static let audit = LedgerTable(
        "audit", key: "id",
        columns: [
            .integer("id"), .text("order_id"), .real("at"), .text("by"), .text("verb"), .text("subject"), .text("job"),
            .integer("matched"), .integer("done"), .text("reason"),
        ])

    private static let tallies = LedgerTable(
        "tallies", key: "queue", "destination", "status",
        columns: [.text("queue"), .text("destination"), .text("status"), .integer("jobs")] + bytes(of: "tallies"),
        isKeptByTriggers: true, summed: "jobs", "bytes")

    private static let throughput = ends("throughput", by: "minute")
    private static let hours = ends("throughput_hours", by: "hour")

    private static func ends(_ name: String, by unit: String) -> LedgerTable {
        LedgerTable(
            name, key: "queue", unit,
            columns: [
                .text("queue"), .integer(unit), .integer("completed"), .integer("failed"), .integer("cancelled"),
            ] + bytes(of: name), isKeptByTriggers: true, summed: "completed", "failed", "cancelled", "bytes")
    }

    /// A sum of bytes in the two parts of `LedgerSums`, of which PostgreSQL has the sum alone.
    private static func bytes(of table: String) -> [Column] {
        let (sum, part) = ("\(table).bytes", LedgerSums.part)
        let rest = "mod(mod(\(sum), \(part)) + \(part), \(part))"
        return [
            Column(name: "bytes", kind: .integer, sqlite: LedgerSums.rest, postgreSQL: "(\(rest))::bigint"),
            Column(
                name: "over", kind: .integer, sqlite: LedgerSums.parts,
                postgreSQL: "div(\(sum) - \(rest), \(part))::bigint"),
        ]
    }
}

extension LedgerTable.Column {
    fileprivate static func integer(_ name: String) -> Self { Self(name: name, kind: .integer) }
    fileprivate static func real(_ name: String) -> Self { Self(name: name, kind: .real) }
    fileprivate static func text(_ name: String) -> Self { Self(name: name, kind: .text) }
    fileprivate static func bytes(_ name: String) -> Self { Self(name: name, kind: .bytes) }
    fileprivate static func boolean(_ name: String) -> Self { Self(name: name, kind: .boolean) }
    fileprivate static func name(_ name: String) -> Self { Self(name: name, kind: .name) }

    fileprivate static func derived(_ name: String, _ kind: LedgerTable.Kind) -> Self {
        Self(name: name, kind: kind, isDerived: true)
    }
}

import Foundation
import GRDB
import Testing
import UploadTesting
import UploadsAPI

@testable import UploadNotifier
@testable import Uploads

/// A ledger into whose rows the test writes random values, as a failing disk or another program might. `LONGSHORE_FUZZ_INPUTS` (240 if
/// not set) is the number of writes, `LONGSHORE_SOAK_SEED` repeats a run.
@Suite("Damaged rows", .timeLimit(.minutes(24 * 60))) struct LedgerFuzzTests {
    /// The number of damages to one ledger, before it is filled anew.
    private static let damagesPerLedger = 60
    /// The number of damages between two rounds of all queries, which take ten times as long as recording.
    private static let damagesPerQuestions = 8

    @Test func `whatever stands in its rows, the ledger records good jobs and answers`() async throws {
        let seed = Fuzz.seed(for: "damaged rows")
        let count = ProcessInfo.processInfo.environment["LONGSHORE_FUZZ_INPUTS"].flatMap { Int($0) } ?? 240
        // After a trap, this line is the only trace of the run.
        print("damaged rows: seed \(seed), \(count) inputs")
        var random = SeededGenerator(seed: seed)
        var left = count
        while left > 0 {
            let world = try await DamagedWorld(using: &random)
            for _ in 0..<min(left, Self.damagesPerLedger) {
                let damage = try await world.damage(using: &random)
                let comment: Comment = "seed \(seed), \(count - left) inputs before, \(damage)"
                do {
                    try await world.recordsGoodJobs(comment, using: &random)
                    if left.isMultiple(of: Self.damagesPerQuestions) { try await world.answers(using: &random) }
                } catch {
                    Issue.record(error, comment)
                    return
                }
                left -= 1
            }
            try world.ledger.close()
        }
    }
}

/// A ledger with rows in each of its tables.
private final class DamagedWorld {
    /// A column that can be damaged, and the rowids by which its rows are found.
    private struct Column {
        var table: String
        var name: String
        var type: String
        var keys: [String]

        /// Extreme numbers in SQL; nil for a column that holds no numbers.
        var numbers: [String]? {
            switch type {
            case "INTEGER":
                [
                    "9223372036854775807", "9223372036854775806", "-9223372036854775808", "4611686018427387904", "-1",
                    "0",
                    "1000000001", "1 << 53",
                ]
            case "REAL": ["1e308", "-1e308", "9e999", "-9e999", "9.3e18", "-1", "0", "0.5", "253402300800"]
            default: nil
            }
        }
    }

    private static let line = QueueName(unchecked: "line")

    let scratch: Scratch
    let ledger: Ledger
    private let service: NotifierService
    private var columns: [Column] = []
    private var jobs: [UploadJob] = []
    private let verbs: [Verb] = Verb.allCases

    init(using random: inout SeededGenerator) async throws {
        scratch = try Scratch()
        ledger = try Ledger.open(path: scratch.file())
        service = NotifierService(
            bus: MemoryNotifierBus(), ledger: ledger,
            delegates: Sample.routes.map { RegisteredDelegate(ScriptedDelegate($0.delegate), types: $0.kinds) },
            logger: quiet)
        try await fill(using: &random)
        columns = try await ledger.read(Self.columns)
    }

    private func fill(using random: inout SeededGenerator) async throws {
        var messages: [NotifierMessage] = []
        for index in 0..<24 {
            var job = Sample.job(key: "\(index)")
            // The ids are the same in every run of a seed, since the damage depends on the contents.
            let digits = String(format: "%016llx%016llx", random.next(), random.next())
            job.id = try #require(
                JobID(digits.replacing(/^(.{8})(.{4})(.{4})(.{4})/) { "\($0.1)-\($0.2)-\($0.3)-\($0.4)-" }))
            switch index % 4 {
            case 0: job.source = .staged(area: "area", name: "copy-\(index)")
            case 1: job.destination = .named(DestinationName(unchecked: "photos"), key: "key-\(index)")
            case 2: job.metadata = ["owner": "Zoë \(index)", "note": String(repeating: "x", count: 200)]
            default: (job.serial, job.queue) = (.end, Self.line)
            }
            if index % 5 == 0 { (job.batch, job.client, job.idempotencyKey) = ("trip", "app.example", "key-\(index)") }
            jobs.append(job)
            messages.append(.job(job, maybeRepeated: index % 3 == 0))
            var baton = Baton(job: job)
            baton.state = UploadState(driver: "s3", payload: ["upload": .string("\(index)")])
            switch index % 7 {
            case 0: messages.append(.event(UploadEvent(kind: .handedOver, of: baton, at: Sample.start)))
            case 1: messages.append(Sample.event(.completed, job))
            case 2: messages.append(Sample.event(.suspect, job))
            case 3: messages.append(Sample.event(.failed, job))
            case 4: messages.append(Sample.event(.started, job))
            default: break
            }
        }
        messages.append(
            .unreadable(
                Data("{".utf8), reason: "no JSON",
                envelope: MessageEnvelope(type: "upload.job.v1", headers: ["tenant": "x"])))
        _ = try await service.recordForRoutes(messages)
        for verb in [Verb.pause, .cancel] {
            let order = UploadOrder(.jobs(verb, jobs[8..<11].map(\.id)), by: "jo", at: Sample.start)
            _ = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
        }
        try await ledger.pause("other", reason: "refused", at: Sample.start, held: true)
        let due = try await ledger.due(for: "hook", ordered: true, now: Sample.start + 1, excluding: [], limit: 2)
        let attempt = DeliveryAttempt(at: Sample.start, seconds: 1, status: 500, answer: "no", error: "refused")
        try await ledger.failed(due.map(\.id), attempt: attempt, dueAt: Sample.start)
        try await ledger.register(
            DelegateRegistration(
                name: "late", definition: Data("{}".utf8), createdAt: Sample.start, changedAt: Sample.start))
    }

    /// All columns except those of SQLite's and GRDB's own tables: damage there makes the whole file damaged, which is refused.
    private static func columns(_ db: Database) throws -> [Column] {
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                AND name NOT LIKE 'jobs_text%' AND name NOT LIKE 'grdb_%' ORDER BY name
                """)
        return try tables.flatMap { table in
            let info = try Row.fetchAll(db, sql: "PRAGMA table_info(\(table))")
            let keys = info.filter { $0["pk"] as Int > 0 }.map { $0["name"] as String }
            let references = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(table))").map { $0["from"] as String }
            return info.compactMap { row -> Column? in
                let type: String = row["type"]
                // Row numbers belong to SQLite: after the largest number it could give out none.
                let isRowNumber = type == "INTEGER" && (row["pk"] as Int > 0 || references.contains(row["name"]))
                guard ["TEXT", "BLOB", "INTEGER", "REAL"].contains(type), !isRowNumber else { return nil }
                return Column(table: table, name: row["name"], type: type, keys: keys)
            }
        }
    }

    // MARK: Damage

    /// - Returns: a description of the damage.
    func damage(using random: inout SeededGenerator) async throws -> String {
        let column = columns[Int.random(in: columns.indices, using: &random)]
        let keys = column.keys.joined(separator: ", ")
        let rows = try await ledger.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT CAST(\(column.name) AS BLOB), \(keys) FROM \(column.table)
                    WHERE \(column.name) IS NOT NULL ORDER BY \(keys)
                    """
            ).map { Array($0.databaseValues) }
        }
        guard let row = rows.randomElement(using: &random) else { return "nothing in \(column.table).\(column.name)" }
        let condition = column.keys.map { "\($0) = ?" }.joined(separator: " AND ")
        if let numbers = column.numbers {
            let number = numbers[Int.random(in: numbers.indices, using: &random)]
            try await ledger.write { db in
                try db.execute(
                    sql: "UPDATE OR IGNORE \(column.table) SET \(column.name) = \(number) WHERE \(condition)",
                    arguments: StatementArguments(row.dropFirst()))
            }
            return "\(column.table).\(column.name) is \(number)"
        }
        let value = Self.damaged(Data.fromDatabaseValue(row[0]) ?? Data(), using: &random)
        try await ledger.write { db in
            // A value is not written if it must be unique and another row already has it.
            try db.execute(
                sql: """
                    UPDATE OR IGNORE \(column.table) SET \(column.name) = CAST(? AS \(column.type)) WHERE \(condition)
                    """, arguments: [value] + StatementArguments(row.dropFirst()))
        }
        return "\(column.table).\(column.name) is \(String(decoding: value.prefix(3000), as: UTF8.self))"
    }

    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "18446744073709551616", "-1", "0", "1e308", "1e999", "0.5",
    ]

    private static func damaged(_ value: Data, using random: inout SeededGenerator) -> Data {
        var bytes = [UInt8](value)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Data()
        case 1: return Data(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        case 2: return Data((0..<40).map { _ in UInt8.random(in: 0...255, using: &random) })
        case 3, 4:
            // Replace one digit.
            let places = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
            guard let place = places.randomElement(using: &random) else { fallthrough }
            let start = bytes[..<place].lastIndex { !(0x30...0x39).contains($0) }.map { $0 + 1 } ?? 0
            let end = bytes[place...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            bytes.replaceSubrange(start..<end, with: Array((numbers.randomElement(using: &random) ?? "0").utf8))
        case 5:
            // Insert a value that does not belong there.
            let words = ["null", "[]", "{}", "\"\"", "true", "[[[[[[", "\u{0}", "\u{1B}[2J"]
            let place = Int.random(in: 0...bytes.count, using: &random)
            bytes.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: place)
        default:
            for _ in 0...Int.random(in: 0..<8, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
        }
        return Data(bytes)
    }

    // MARK: What must hold

    /// Records new jobs beside messages about old ones: the new jobs must be recorded and published, and due for their delegates.
    func recordsGoodJobs(_ comment: Comment, using random: inout SeededGenerator) async throws {
        let good = (0..<2).map { _ in Sample.job(key: "good") }
        let old = jobs[Int.random(in: jobs.indices, using: &random)]
        let kind = EventKind.allCases.randomElement(using: &random) ?? .started
        let batch: [NotifierMessage] = [
            .job(good[0], maybeRepeated: false), Sample.event(kind, old), Sample.event(.completed, good[0]),
            .job(old, maybeRepeated: true), Sample.event(.failed, good[1]), .deadBaton(Baton(job: old), .other("why")),
            .marker(IssueMarker(job: old.id, round: 1, generation: 1)),
        ]
        let owed = try await service.recordForRoutes(batch)
        let told = owed.compactMap { if case .outcome(let event) = $0.action { event.id } else { nil } }
        for (job, status) in zip(good, [LedgerStatus.completed, .failed]) {
            #expect(try await ledger.job(job.id)?.status == status, comment)
            #expect(told.contains("\(job.id).1.ended"), comment)
        }
        ledger.settle(owed.map(\.id))
        let due = try await ledger.due(for: "hook", ordered: true, now: Sample.start + 60, excluding: [], limit: 10_000)
        for job in good { #expect(due.contains { $0.event.job.id == job.id }, comment) }
        try await ledger.delivered(due.map(\.id), at: Sample.start, attempt: nil)
    }

    /// Makes all queries: the ledger must answer each, or refuse it with an `UploadError`, and must not trap.
    func answers(using random: inout SeededGenerator) async throws {
        let ids = Set(jobs.map(\.id))
        let old = jobs[Int.random(in: jobs.indices, using: &random)]
        let verb = verbs.randomElement(using: &random) ?? .pause
        // These calls must not fail: the notifier cannot start, or forget, without them.
        _ = try await ledger.owed()
        var view = ControlView()
        view.apply(.fence(Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) })))
        _ = try await ledger.outlived(Array(ids), at: Sample.start + 60)
        _ = try await ledger.prune(endedBefore: Sample.start + 60, besides: view, limit: 2)
        _ = try await ledger.counts()
        _ = try await ledger.queues(throughputSince: Sample.start - 60)
        _ = try await ledger.destinations()
        _ = try await ledger.namedStates(failedSince: Sample.start - 60)
        _ = try await ledger.jobs(naming: ["copy-0", "copy-4"], inArea: "area")
        _ = try await ledger.knowsState(
            at: DestinationName(unchecked: "photos"), key: "key-1", toldSince: .distantPast
        ) { _ in false }
        _ = try await ledger.statuses()
        _ = try await ledger.registrations()
        _ = try await ledger.nextDue(for: "hook", ordered: true, excluding: [])
        for status in LedgerStatus.allCases { _ = try await ledger.latest(status, limit: 100) }
        for text in [nil, "host.example", "zoë"] {
            var filter = LedgerFilter(limit: 7)
            filter.text = text
            var pages = 0
            repeat {
                filter.after = try await ledger.jobs(filter).next
                pages += 1
                try #require(pages < 1000, "the pages of a listing go round in circles")
            } while filter.after != nil
        }
        var sequence: Int64 = 0
        while true {
            let page = try await ledger.events(after: sequence, EventFilter(), limit: 50)
            if page.isLast { break }
            try #require(page.through > sequence)
            sequence = page.through
        }
        _ = try await ledger.events(of: old.id)
        _ = try await ledger.line(of: Self.line, after: nil, limit: 5)
        _ = try await ledger.place(of: old.id)
        let letters = try await ledger.unreadable(DeadLetterListing(type: "upload.job.v1"))
        _ = try await ledger.unreadableCount(DeadLetterListing(type: "upload.job.v1"))
        for letter in letters { _ = API.DeadLetter(letter, shown: 100) }
        for delivery in try await ledger.deliveries(DeliveryListing()) {
            _ = try await ledger.attempts(of: delivery.id)
        }
        _ = try await ledger.deliverPast(
            DeliveryRoute(delegate: "past"), from: Sample.start - 60, to: Sample.start + 60, at: Sample.start)
        for command in [
            UploadOrder.Command.jobs(verb, [old.id]), .matching(verb, OrderFilter(), atMost: nil),
            .move([old.id], .index(0)),
        ] {
            let order = UploadOrder(command, by: "jo", at: Sample.start)
            var steps = 0
            while try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start).answer == nil {
                steps += 1
                try #require(steps < 100, "an order comes to no end")
            }
        }
        // These calls throw for a damaged row.
        for id in ids { _ = try? await ledger.job(id) }
    }
}

import Foundation
import GRDB
import Logging
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Full disks, damaged or old files, and many jobs to remove.
@Suite("A ledger in trouble", .timeLimit(.minutes(10)))
struct LedgerTroubleTests {
    private func run(
        _ bus: MemoryNotifierBus, _ ledger: Ledger, log: Lines = Lines(), delegates: [RegisteredDelegate] = [],
        while body: () async throws -> Void
    ) async throws {
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: delegates,
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), logger: log.logger)
        try await service.run(while: body)
    }

    @Test func `on a full disk nothing is acknowledged, it is logged, and once there is room nothing is missing`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let bus = MemoryNotifierBus(batchCountMaximum: 50)
        let log = Lines()
        let delegate = ScriptedDelegate("hook")
        let first = Sample.job(key: "first")
        let jobs = (0..<200).map { Sample.job(key: "\($0)") }
        bus.send(Sample.event(.completed, first))
        try await run(bus, ledger, log: log, delegates: [RegisteredDelegate(delegate)]) {
            try await until { delegate.attempts.count == 1 && bus.acknowledged == 1 }
            try await until { try await ledger.status(of: "hook").backlog == 0 }
            // Like a full disk: SQLite gets no more pages (https://sqlite.org/pragma.html#pragma_max_page_count).
            try await ledger.pool.writeWithoutTransaction { db in
                let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(count)")
            }
            for job in jobs { bus.send(.job(job, maybeRepeated: false), Sample.event(.completed, job)) }
            try await until {
                bus.send()
                return log.lines.contains { $0.contains("no space is left for the ledger") && $0.contains("error") }
            }
            let acknowledged = bus.acknowledged
            #expect(acknowledged < 2 * jobs.count)
            #expect(try await ledger.jobs(LedgerFilter(limit: 1000)).jobs.count <= 1 + acknowledged)
            try await ledger.pool.writeWithoutTransaction {
                _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1073741823")
            }
            try await until {
                bus.send()
                return bus.waiting == 0 && delegate.attempts.count >= 1 + jobs.count
            }
            try await until { try await ledger.status(of: "hook").backlog == 0 }
        }
        #expect(Set(delegate.attempts.map(\.id)) == Set(([first] + jobs).map { "\($0.id).1.ended" }))
        #expect(Set(bus.told.map(\.id)) == Set(delegate.attempts.map(\.id)))
        #expect(try await ledger.counts() == [.completed: 1 + jobs.count])
        try ledger.close()
    }

    @Test func `the pause after a failure begins anew once a batch was recorded`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let bus = MemoryNotifierBus()
        let log = Lines()
        /// The failed attempts in the log, in order.
        func attempts() -> [Int] {
            log.lines.compactMap { line in
                guard line.contains("cannot record"), let match = line.firstMatch(of: /"attempt": (\d+)/) else {
                    return nil
                }
                return Int(match.1)
            }
        }
        try await run(bus, ledger, log: log) {
            for episode in 1...2 {
                try await ledger.pool.writeWithoutTransaction { db in
                    let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                    _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(count)")
                }
                try await until {
                    bus.send(.job(Sample.job(), maybeRepeated: false))
                    return attempts().filter { $0 == 3 }.count >= episode
                }
                try await ledger.pool.writeWithoutTransaction {
                    _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1073741823")
                }
                try await until {
                    bus.send()
                    return bus.waiting == 0
                }
            }
        }
        #expect(attempts().filter { $0 == 1 }.count == 2, "\(attempts())")
        try ledger.close()
    }

    @Test(arguments: ["", "-wal", "-shm", ".lock"], [true, false])
    func `a file that is deleted or replaced is said, nothing is acknowledged, and once it is back all is recorded`(
        _ suffix: String, _ isReplaced: Bool
    ) async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let bus = MemoryNotifierBus()
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [],
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), logger: quiet)
        let jobs = (0..<3).map { Sample.job(key: "\($0)") }
        let (file, aside) = (scratch.file() + suffix, scratch.file("aside"))
        try await service.run {
            bus.send(.job(jobs[0], maybeRepeated: false))
            try await until { bus.acknowledged == 1 }
            #expect(service.obstacle == nil)
            try FileManager.default.moveItem(atPath: file, toPath: aside)
            if isReplaced { try FileManager.default.copyItem(atPath: aside, toPath: file) }
            bus.send(.job(jobs[1], maybeRepeated: false))
            try await until { service.obstacle?.contains("\(file) was deleted or replaced") == true }
            #expect(bus.acknowledged == 1)
            // A reader of the pool may have made a new file by now.
            try? FileManager.default.removeItem(atPath: file)
            try FileManager.default.moveItem(atPath: aside, toPath: file)
            bus.send(.job(jobs[2], maybeRepeated: false))
            try await until { bus.acknowledged == 3 }
            #expect(service.obstacle == nil)
        }
        try ledger.close()
        let again = try Ledger.open(path: scratch.file())
        #expect(try await again.counts() == [.queued: 3])
        try again.close()
    }

    @Test func `a damaged file is refused with what to do, and what comes in makes a new one`() async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        let old = try Ledger.open(path: scratch.file())
        _ = try await old.record(
            [.job(job, maybeRepeated: false)], view: ControlView(), routes: [], now: Sample.start)
        // After that, everything is in one file: SQLite would read a log that is left behind into a file put in its place.
        try old.close()
        let log = try? FileManager.default.attributesOfItem(atPath: scratch.file() + "-wal")[.size] as? Int
        #expect((log ?? 0) == 0)
        let file = try FileHandle(forUpdating: URL(filePath: scratch.file()))
        let size = try file.seekToEnd()
        // Damages all pages except the first, which marks the file as a ledger.
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try file.close()
        let damaged = try Data(contentsOf: URL(filePath: scratch.file()))
        do throws(UploadError) {
            _ = try Ledger.open(path: scratch.file())
            Issue.record("a damaged ledger was opened")
        } catch {
            #expect(error.code == .misconfigured)
            #expect(error.message.contains("is damaged; move it away (uploads do not need it) and start again"))
        }
        #expect(try Data(contentsOf: URL(filePath: scratch.file())) == damaged, "what is damaged is left as it is")

        // An operator who moves the file away may forget its log and its lock.
        try FileManager.default.moveItem(atPath: scratch.file(), toPath: scratch.file("damaged.sqlite"))
        let ledger = try Ledger.open(path: scratch.file())
        let bus = MemoryNotifierBus()
        bus.send(Sample.event(.suspect, job))
        try await run(bus, ledger) { try await until { bus.acknowledged == 2 } }
        #expect(bus.issued.map(\.job) == [job])
        #expect(bus.issued.map(\.generation) == [2])
        #expect(try await ledger.job(job.id)?.generation == 2)
        try ledger.close()
    }

    @Test func `damage that shows only in use is said with what to do, and nothing is acknowledged`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try $0.execute(sql: "DROP TABLE events") }
        let path = scratch.file()
        #expect(
            SQLiteFailure.describe(DatabaseError(resultCode: .SQLITE_CORRUPT), path: path).message.contains(
                "move it away"))
        let bus = MemoryNotifierBus()
        let log = Lines()
        bus.send(Sample.event(.completed, Sample.job()))
        try await run(bus, ledger, log: log) { try await until { log.lines.contains { $0.contains(path) } } }
        #expect(bus.acknowledged == 0)
        #expect(bus.told.isEmpty)
        try ledger.close()
    }

    /// Makes a ledger as the first version wrote it.
    private func makeFirstLedger(_ path: String) async throws -> [UploadJob] {
        let old = try DatabaseQueue(path: path)
        try LedgerSchema.migrator.migrate(old, upTo: "1")
        let jobs = (0..<700).map { number in
            var job = Sample.job(key: "\(number)")
            job.source = .staged(area: "area", name: "staged-\(number)")
            job.destination = .named(DestinationName(unchecked: "photos"), key: "IMG_\(number).jpg")
            job.enqueuedAt += Double(number)
            job.batch = "trip"
            return job
        }
        try await old.write { db in
            for (number, job) in jobs.enumerated() {
                let isDone = number % 2 == 0
                let baton = Baton(job: job)
                let event = UploadEvent(kind: isDone ? .completed : .started, of: baton, at: Sample.start)
                var record = LedgerJob(baton, isWhole: true, at: Sample.start)
                record.status = isDone ? .completed : .running
                if isDone { record.end = RoundEnd(kind: .completed, event: event.id, at: Sample.start) }
                try db.execute(
                    sql: "INSERT INTO jobs VALUES (?, 'default', 'photos', ?, ?, ?, NULL)",
                    arguments: [
                        job.id.rawValue, record.status.rawValue, Sample.start.timeIntervalSince1970,
                        try WireJSON.encode(record),
                    ])
                try db.execute(
                    sql: "INSERT INTO events (id, job, body) VALUES (?, ?, ?)",
                    arguments: [event.id, job.id.rawValue, try WireJSON.encode(event)])
                guard isDone else { continue }
                try db.execute(
                    sql: """
                        INSERT INTO deliveries (delegate, outcome, job, event, attempts, due, delivered)
                        VALUES ('hook', ?, ?, ?, 1, ?, ?)
                        """,
                    arguments: [
                        "\(job.id).1.ended", job.id.rawValue, event.id, Sample.start.timeIntervalSince1970,
                        number < 600 ? Sample.start.timeIntervalSince1970 : nil,
                    ])
            }
            var foreign = UploadEvent(kind: .waiting, of: Baton(job: jobs[3]), at: Sample.start)
            foreign.id = "=odd"
            try db.execute(
                sql: "INSERT INTO events (id, job, body) VALUES (?, ?, ?)",
                arguments: [foreign.id, jobs[3].id.rawValue, try WireJSON.encode(foreign)])
            try db.execute(
                sql: "INSERT INTO delegates VALUES ('hook', ?, 'gone')",
                arguments: [Sample.start.timeIntervalSince1970])
            try db.execute(
                sql: "INSERT INTO unreadable (at, reason, digest, body) VALUES (1, 'why', x'00', x'01')")
        }
        try old.close()
        return jobs
    }

    /// Opens the ledger, and compares what it answers.
    private func expectUpToDate(_ path: String, with jobs: [UploadJob]) async throws {
        let ledger = try Ledger.open(path: path)
        #expect(try await ledger.counts() == [.completed: 350, .running: 350])
        #expect(try await ledger.jobs(LedgerFilter(limit: 700)).jobs.map(\.id) == jobs.reversed().map(\.id))
        var filter = LedgerFilter()
        filter.text = "img_77."
        #expect(try await ledger.jobs(filter).jobs.map(\.id) == [jobs[77].id])
        filter = LedgerFilter(statuses: [.running], limit: 1000)
        filter.batch = "trip"
        #expect(try await ledger.jobs(filter).jobs.count == 350)
        #expect(try await ledger.jobs(naming: ["staged-7"], inArea: "area")["staged-7"]?.map(\.id) == [jobs[7].id])
        let events = try await ledger.events(after: 0, EventFilter(kinds: [.started]), limit: 1000)
        #expect(events.events.map(\.event.job.id) == stride(from: 1, to: 700, by: 2).map { jobs[$0].id })
        let status = try await ledger.status(of: "hook")
        #expect(status.backlog == 50 && status.reason == "gone" && !status.isHeld)
        try await ledger.resume("hook", at: Sample.start)
        let due = try await ledger.due(for: "hook", ordered: true, now: Sample.start, excluding: [], limit: 100)
        #expect(due.map(\.event.id) == stride(from: 600, to: 700, by: 2).map { "\(jobs[$0].id).1.ended" })
        #expect(try await ledger.unreadable(before: nil, limit: 10).map(\.reason) == ["why"])
        let told = try #require(try await ledger.deliveries(DeliveryListing(job: jobs[4].id)).first)
        #expect(told.event == "\(jobs[4].id).1.ended" && told.job == jobs[4].id.rawValue)
        #expect(told.status == .delivered && told.attempts == 1)
        // Events are recognised by their ids, those of another program as well.
        let known = try await ledger.events(of: jobs[3].id).map { NotifierMessage.event($0) }
        _ = try await ledger.record(known, view: ControlView(), routes: [], now: Sample.start)
        #expect(try await ledger.events(of: jobs[3].id).map(\.id) == ["\(jobs[3].id).1.1.0.started", "=odd"])
        // Jobs that were under way go on.
        let owed = try await ledger.record(
            [Sample.event(.completed, jobs[1])], view: ControlView(), routes: Sample.routes, now: Sample.start)
        #expect(owed.count == 1)
        #expect(try await ledger.counts() == [.completed: 351, .running: 349])
        #expect(try await ledger.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        try ledger.close()
    }

    @Test func `the first version's ledger is brought up to date with all that is in it`() async throws {
        let scratch = try Scratch()
        let jobs = try await makeFirstLedger(scratch.file())
        try await expectUpToDate(scratch.file(), with: jobs)
    }

    @Test func `a migration that is killed in the middle goes on with the next opening`() async throws {
        let scratch = try Scratch()
        let jobs = try await makeFirstLedger(scratch.file())
        var write = 2
        // Each notifier comes further than the one before it.
        while try await !isMigrated(scratch.file(), byNotifierThatIsKilledAtWrite: write) {
            write *= 2
            try #require(write < 1 << 20, "no notifier migrated the ledger")
        }
        #expect(write >= 128, "none was killed while it copied the jobs")
        try await expectUpToDate(scratch.file(), with: jobs)
    }

    /// Starts a notifier without a broker, which the kernel kills at this write to a file.
    private func isMigrated(_ path: String, byNotifierThatIsKilledAtWrite number: Int) async throws -> Bool {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "longshore")
        let command =
            Strace.injecting("signal=KILL:when=\(number)", into: "pwrite64")
            + [program.path, "notifier", "--broker", "amqp://127.0.0.1:9/", "--ledger", path]
        let notifier = try GuardedProcess(
            command[0], Array(command.dropFirst()),
            environment: ["HOME": URL(filePath: path).deletingLastPathComponent().path])
        // A reader that may write would finish at its own end what the killed process began.
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(30)
        let file = try DatabaseQueue(path: path, configuration: configuration)
        var isMigrated = false
        try await eventually("the notifier is killed, or has migrated the ledger") {
            isMigrated = try file.read(LedgerSchema.migrator.hasCompletedMigrations)
            return isMigrated || !notifier.isRunning
        }
        try await notifier.kill9()
        return isMigrated
    }

    @Test func `an older ledger loses the inline bytes of completed jobs, and of no others`() async throws {
        let scratch = try Scratch()
        let old = try DatabaseQueue(path: scratch.file())
        try LedgerSchema.migrator.migrate(old, upTo: "identity")
        let orders = (0..<4).map { number in
            var order = Sample.job(key: "\(number)")
            // The job that waits, the failed one and the completed one are small; the last one has its bytes elsewhere.
            order.source = number < 3 ? .inline(Data("small".utf8)) : .staged(area: "area", name: "copy")
            return order
        }
        let ends: [EventKind?] = [nil, .failed, .completed, .completed]
        try await old.write { db in
            for (order, end) in zip(orders, ends) {
                var job = LedgerJob(Baton(job: order.redacted), isWhole: true, at: Sample.start)
                if let end {
                    job.status = end == .failed ? .failed : .completed
                    job.end = RoundEnd(kind: end, event: "\(order.id)", at: Sample.start)
                }
                // Such a ledger does not compress its rows.
                try db.execute(
                    sql: """
                        INSERT INTO jobs (id, queue, destination, status, since, enqueued, size, text, record)
                        VALUES (?, 'default', 'photos', ?, 0, 0, 5, '', ?)
                        """, arguments: [job.id.rawValue, job.status.rawValue, try WireJSON.encode(job)])
                guard order != order.redacted else { continue }
                try db.execute(
                    sql: "INSERT INTO wholes (job, body) VALUES (?, ?)",
                    arguments: [db.lastInsertedRowID, try WireJSON.encode(order)])
            }
        }
        try old.close()

        let ledger = try Ledger.open(path: scratch.file())
        let kept = try await ledger.read {
            try String.fetchAll($0, sql: "SELECT id FROM jobs JOIN wholes ON job = seq")
        }
        #expect(Set(kept) == Set([0, 1, 3].map { orders[$0].id.rawValue }))
        #expect(try await ledger.job(orders[1].id)?.isWhole == true)
        #expect(try await ledger.job(orders[2].id)?.isWhole == false)
        #expect(try await ledger.job(orders[3].id)?.isWhole == true)
        let error = await #expect(throws: UploadError.self) {
            _ = try await ledger.order(
                .runAgain, of: orders[2].id, view: ControlView(), routes: [], now: Sample.start)
        }
        #expect(error?.message.contains("keeps no inline bytes") == true)
        try ledger.close()
    }

    @Test func `while much is forgotten recording goes on`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let old = (0..<4000).map { Sample.job(key: "\($0)") }
        let owed = try await ledger.record(
            old.map { Sample.event(.completed, $0) }, view: ControlView(), routes: [], now: Sample.start)
        ledger.settle(owed.map(\.id))
        let pruning = Task {
            while try await ledger.prune(endedBefore: Sample.start + 1, besides: ControlView(), limit: 100) == 100 {}
        }
        // The number of old jobs that are left after each message that is recorded meanwhile.
        var left: [Int] = []
        var count = 0
        repeat {
            count += 1
            _ = try await ledger.record(
                [.job(Sample.job(key: "new-\(count)"), maybeRepeated: false)], view: ControlView(), routes: [],
                now: Sample.start)
            left.append(try await ledger.counts()[.completed] ?? 0)
        } while left.last != 0
        try await pruning.value
        #expect(Set(left).intersection(1..<old.count).count >= 5, "\(left)")
        #expect(try await ledger.counts() == [.queued: count])
        try ledger.close()
    }
}

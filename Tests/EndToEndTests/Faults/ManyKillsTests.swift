import Foundation
import Testing
import UploadTesting
import Uploads

/// Four notifiers share 16 shards while they, the workers and the PostgreSQL server of the ledger die at random, and connections to the broker
/// break. `LONGSHORE_SOAK_KILLS` is the number of notifiers that are killed (12 if not set); `LONGSHORE_SOAK_SEED` repeats the choices of a run.
@Suite(.serialized, .timeLimit(.minutes(24 * 60))) struct ManyKillsTests {
    private static let setting = ProcessInfo.processInfo.environment
    /// The jobs that come in between two faults, and how many of them form a serial line in every fifth round.
    private static let (jobs, serialJobs) = (10, 3)

    private struct Pool {
        let deployment: Deployment
        let node: PostgreSQLNode
        let proxy: AMQPFaultProxy
        var notifiers: [RunningProgram] = []
        var workers: [RunningProgram] = []
        var random: SeededGenerator
        var ids: [String] = []
        var serial: [String] = []
        var rounds = 0
        /// How often each fault has happened.
        var faults: [Fault: Int] = [:]

        mutating func start() throws {
            for _ in 0..<4 { notifiers.append(try deployment.start(.notifier, ["--broker", proxy.url])) }
            for _ in 0..<2 { workers.append(try deployment.start(.worker, ["--broker", proxy.url])) }
        }

        /// Enqueues jobs, and lets a fault happen when some of them have ended, and others are on their way.
        mutating func enqueue(with fault: Fault?) async throws {
            let round = rounds
            rounds += 1
            let files = try (0..<ManyKillsTests.jobs).map {
                try deployment.makeFile("\(round)-\($0)", bytes: 1000).path
            }
            let serialCount = round % 5 == 0 ? ManyKillsTests.serialJobs : 0
            let enough = try deployment.toldCount() + Int.random(in: 0..<ManyKillsTests.jobs, using: &random)
            let enqueuing = [
                try deployment.start(.enqueue, ["--to", "local:"] + files.dropFirst(serialCount)),
                serialCount > 0
                    ? try deployment.start(.enqueue, ["--to", "local:", "--serial"] + files.prefix(serialCount)) : nil,
            ]
            if let fault {
                try await eventually("\(enough) outcomes are told") { [deployment] in
                    try deployment.toldCount() >= enough
                }
                try await happen(fault)
            }
            for (program, isSerial) in zip(enqueuing, [false, true]) {
                guard let program else { continue }
                #expect(await program.wait() == 0, "\(program.errorText)")
                let new = program.outputText.split(separator: "\n").map(String.init)
                if isSerial { serial += new } else { ids += new }
            }
        }

        mutating func happen(_ fault: Fault) async throws {
            faults[fault, default: 0] += 1
            let victim = Int.random(in: notifiers.indices, using: &random)
            switch fault {
            case .notifierKilled:
                notifiers[victim].killAndWait()
                notifiers[victim] = try deployment.start(.notifier, ["--broker", proxy.url])
            case .workerKilled:
                let victim = Int.random(in: workers.indices, using: &random)
                workers[victim].killAndWait()
                workers[victim] = try deployment.start(.worker, ["--broker", proxy.url])
            case .connectionsCut: proxy.cut()
            case .serverKilled:
                try await node.kill9()
                try await node.start()
            case .notifierStopped:
                // It wakes up when others have its shards, and believes that it still has them.
                notifiers[victim].signal(SIGSTOP)
                try await enqueue(with: nil)
                try await waitForAll()
                notifiers[victim].signal(SIGCONT)
            }
        }

        func waitForAll() async throws {
            let all = Set(ids + serial)
            try await eventually("every job has an outcome", within: .seconds(600)) {
                guard try deployment.toldCount() >= all.count else { return false }
                return all.isSubset(of: try deployment.toldOutcomes().compactMap { $0["subject"] as? String })
            }
        }
    }

    private enum Fault: String, CaseIterable {
        case notifierKilled = "notifiers killed"
        case workerKilled = "workers killed"
        case connectionsCut = "cuts at the broker"
        case serverKilled = "times the ledger's server killed"
        case notifierStopped = "notifiers stopped for a while"

        static func any(_ random: inout SeededGenerator) -> Fault {
            switch Int.random(in: 0..<100, using: &random) {
            case 0: .notifierStopped
            case 1..<4: .serverKilled
            case 4..<14: .connectionsCut
            case 14..<24: .workerKilled
            default: .notifierKilled
            }
        }
    }

    @Test func whicheverNotifierDiesEachOutcomeIsToldUnderOneIDAndTheLineKeepsItsOrder() async throws {
        let seed = Self.setting["LONGSHORE_SOAK_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
        let kills = Self.setting["LONGSHORE_SOAK_KILLS"].flatMap { Int($0) } ?? 12
        print("many kills: seed \(seed), \(kills) notifiers")
        let node = try await PostgreSQLNode()
        try await Deployment.with(shards: Shards(16), ledger: node) { deployment in
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            defer { proxy.stop() }
            var pool = Pool(
                deployment: deployment, node: node, proxy: proxy, random: SeededGenerator(seed: seed))
            try pool.start()
            while pool.faults[.notifierKilled, default: 0] < kills {
                let fault = Fault.any(&pool.random)
                try await pool.enqueue(with: fault)
            }
            try await pool.waitForAll()
            // What the last one that died had published, but not noted as published, is published once more.
            try await deployment.waitForLedger()
            try await deployment.expectNothingLeftOnTheBroker(watched: [proxy])
            try check(pool)
        }
    }

    private func check(_ pool: Pool) throws {
        let (deployment, count) = (pool.deployment, pool.ids.count + pool.serial.count)
        let told = try deployment.toldOutcomes()
        #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
        // At least once, and always under the same id.
        #expect(Set(told.compactMap { $0["id"] as? String }).count == count)
        var seen: [String] = []
        let serial = Set(pool.serial)
        for case let subject as String in told.map({ $0["subject"] as Any }) where serial.contains(subject) {
            if !seen.contains(subject) { seen.append(subject) }
        }
        #expect(seen == pool.serial)
        let statuses = "SELECT status, count(*) FROM jobs GROUP BY status"
        #expect(try deployment.queryLedger(statuses) == ["completed|\(count)"])
        for table in ["line", "owed", "holds", "unreadable"] {
            #expect(try deployment.queryLedger("SELECT count(*) FROM \(table)") == ["0"], "\(table)")
        }
        let pending = "SELECT count(*) FROM deliveries WHERE delivered IS NULL"
        #expect(try deployment.queryLedger(pending) == ["0"])
        let faults = Fault.allCases.map { "\(pool.faults[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
        print("many kills: \(count) jobs; \(faults); \(told.count - count) outcomes told again")
    }
}

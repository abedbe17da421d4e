import Foundation
import Testing
import UploadTesting
import Uploads

/// The metrics that alerts are made of, as real programs show them.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MetricsTests {
    enum Kind: String, CaseIterable { case file, postgreSQL }

    private static let secret = "whsec_" + Data("a-secret-of-the-hook-0123456789".utf8).base64EncodedString()

    private func with(
        _ kind: Kind, shards: Shards? = nil, _ body: (Deployment) async throws -> Void
    ) async throws {
        let server = kind == .postgreSQL ? try await PostgreSQLNode.shared() : nil
        // Nothing listens at the port: the delegate takes nothing.
        let hook = "hook: {kind: webhook, url: http://127.0.0.1:9/hook, secret: \(Self.secret)}"
        try await Deployment.with(
            shards: shards, ledger: server, delegates: [hook]
        ) { try await body($0) }
    }

    /// Both formats are as promtool wants them, and each metric is described.
    private func check(_ program: RunningProgram, _ deployment: Deployment) async throws {
        let page = try await Web.page("http://127.0.0.1:\(try #require(program.port))/metrics")
        #expect(page.contains("upload_build_info{"))
        let file = deployment.path.appending(path: "metrics.txt")
        try Data(page.utf8).write(to: file)
        let lint = try RunningProgram(
            URL(filePath: "/usr/bin/promtool"), ["check", "metrics"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], directory: deployment.path,
            logs: deployment.logs, name: "promtool-\(program.name)", input: file)
        #expect(await lint.wait() == 0, "\(lint.outputText)\(lint.errorText)")
        #expect(lint.outputText.isEmpty && lint.errorText.isEmpty, "\(lint.outputText)\(lint.errorText)")
    }

    private func expect(
        _ metric: String, _ labels: String..., of program: RunningProgram, is value: Double
    ) async throws {
        try await eventually("\(metric)\(labels) is \(value)") {
            let series = try await Web.values(of: metric, shownBy: program)
                .filter { series in labels.allSatisfy { series.labels.contains($0) } }
            return !series.isEmpty && series.reduce(0) { $0 + $1.value } == value
        }
    }

    @Test(arguments: Kind.allCases) func thePoolShowsWhatAlertsNeed(kind: Kind) async throws {
        try await with(kind) { deployment in
            let notifier = try deployment.start(.notifier)
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 50_000) }
            _ = try await deployment.enqueue(["--to", "local:"] + files[..<2].map(\.path))
            _ = try await deployment.enqueue(["--to", "local:", "--priority", "bulk", files[2].path])
            try await deployment.publishNonsense()
            try await expect(
                "upload_ledger_jobs", #"queue="default""#, #"status="queued""#, of: notifier, is: 3)
            try await expect("upload_ledger_jobs", #"status="completed""#, of: notifier, is: 0)
            try await expect("upload_queue_depth", #"lane="normal""#, of: notifier, is: 2)
            try await expect("upload_queue_depth", #"lane="bulk""#, of: notifier, is: 1)
            try await expect("upload_queue_workers", #"queue="default""#, of: notifier, is: 0)
            try await expect("upload_queue_work_bytes", #"queue="default""#, of: notifier, is: 150_000)
            try await expect("upload_dead_letters", of: notifier, is: 1)
            try await expect("upload_notifier_active", of: notifier, is: 1)
            try await expect("upload_broker_connected", of: notifier, is: 1)
            let lanes = try await Web.values(of: "upload_queue_oldest_age_seconds", shownBy: notifier)
            #expect(lanes.count == 2 && lanes.allSatisfy { $0.value > 0 }, "\(lanes)")
            try await eventually("the copies are counted") {
                try await Web.sum(of: "upload_staging_bytes", shownBy: notifier) >= 150_000
            }
            for metric in ["upload_staging_free_bytes", "upload_staging_capacity_bytes", "upload_ledger_bytes"] {
                #expect(try await Web.sum(of: metric, shownBy: notifier) > 0, "\(metric)")
            }
            let free = try await Web.values(of: "upload_ledger_free_bytes", shownBy: notifier)
            #expect(free.count == (kind == .file ? 1 : 0), "only the server sees its disk")
            try await expect("upload_outbox_jobs", of: notifier, is: 0)

            let worker = try deployment.start(.worker)
            try await expect("upload_ledger_jobs", #"status="completed""#, of: notifier, is: 3)
            try await expect("upload_queue_depth", of: notifier, is: 0)
            try await expect("upload_queue_workers", of: notifier, is: 1)
            try await expect("upload_queue_work_seconds", #"queue="default""#, of: notifier, is: 0)
            try await expect("upload_workers", #"state="running""#, of: notifier, is: 1)
            try await expect("upload_workers", #"state="draining""#, of: notifier, is: 0)
            try await expect("upload_workers", #"state="drained""#, of: notifier, is: 0)
            try await eventually("no lane has a job that waits") {
                try await Web.values(of: "upload_queue_oldest_age_seconds", shownBy: notifier).isEmpty
            }
            try await expect("upload_broker_connected", of: worker, is: 1)
            #expect(try await Web.sum(of: "upload_staging_free_bytes", shownBy: worker) > 0)
            try await expect("upload_delegate_delivery_seconds_count", #"delegate="events""#, of: notifier, is: 3)
            try await expect("upload_delegate_backlog", #"delegate="hook""#, of: notifier, is: 3)
            try await eventually("what the delegate has not taken grows older") {
                try await Web.sum(
                    of: "upload_delegate_oldest_age_seconds", #"delegate="hook""#, shownBy: notifier) > 0
            }
            try await expect("upload_delegate_oldest_age_seconds", #"delegate="events""#, of: notifier, is: 0)
            for program in [notifier, worker] { try await check(program, deployment) }
        }
    }

    @Test func aNotifierThatStandsByIsNotActive() async throws {
        try await with(.file) { deployment in
            let first = try deployment.start(.notifier)
            try await expect("upload_notifier_active", of: first, is: 1)
            let second = try deployment.start(.notifier)
            try await expect("upload_notifier_active", of: second, is: 0)
            try await expect("upload_broker_connected", of: second, is: 0)
            #expect(try await Web.values(of: "upload_ledger_jobs", shownBy: second).isEmpty)
            try await check(second, deployment)
            await first.stop()
            try await expect("upload_notifier_active", of: second, is: 1)
        }
    }

    @Test func sumsOverNotifiersCountNothingTwice() async throws {
        try await with(.postgreSQL, shards: Shards(16)) { deployment in
            var notifiers = try (0..<2).map { _ in try deployment.start(.notifier) }
            try deployment.start(.worker)
            let files = try (0..<5).map { try deployment.makeFile("\($0).bin", bytes: 1000) }
            _ = try await deployment.enqueue(["--to", "local:"] + files.map(\.path))
            func sum(_ metric: String, _ labels: String) async throws -> Double {
                var sum = 0.0
                for notifier in notifiers { sum += try await Web.sum(of: metric, labels, shownBy: notifier) }
                return sum
            }
            try await eventually("both are active") { try await sum("upload_notifier_active", "") == 2 }
            try await eventually("the jobs are shown once") {
                try await sum("upload_ledger_jobs", #"status="completed""#) == 5
            }
            try await eventually("the backlog is shown once") {
                try await sum("upload_delegate_backlog", #"delegate="hook""#) == 5
            }
            // The other one shows the pool when this one has gone.
            var shows: [Bool] = []
            for notifier in notifiers {
                shows.append(try await !Web.values(of: "upload_ledger_jobs", shownBy: notifier).isEmpty)
            }
            #expect(shows.count { $0 } == 1)
            await notifiers.remove(at: try #require(shows.firstIndex(of: true))).stop()
            try await eventually("the other one shows the jobs") {
                try await sum("upload_ledger_jobs", #"status="completed""#) == 5
            }
            try await check(notifiers[0], deployment)
        }
    }
}

import Foundation
import Testing
import UploadTesting
import Uploads

/// `uploadctl` as operators use it to see the state of jobs and its reasons.
@Suite(.serialized, .timeLimit(.minutes(40))) struct UploadctlTests {
    private func notifier(_ deployment: Deployment) async throws -> (program: RunningProgram, api: String) {
        let notifier = try deployment.start(.notifier)
        let port = try #require(notifier.port)
        try await eventually("the notifier listens") { Ports.isOpen(port) }
        try await eventually("the notifier is at work") {
            try await Web.page("http://127.0.0.1:\(port)/readyz") == "ready\n"
        }
        return (notifier, "http://127.0.0.1:\(port)")
    }

    private func lines(_ program: RunningProgram) -> [String] {
        program.outputText.split(separator: "\n").map(String.init)
    }

    @Test func whatBecameOfJobsIsListedAndTold() async throws {
        try await Deployment.with(destinations: ["gone: {driver: http, url: 'http://127.0.0.1:9/'}"]) { deployment in
            let api = try await notifier(deployment).api
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let done = try #require(
                try await deployment.enqueue(["--to", "local:a", "--batch", "trip", file.path]).first)
            let failed = try #require(
                try await deployment.enqueue(["--to", "gone:x", "--max-attempts", "1", file.path]).first)
            try await deployment.waitForStatus("queued", of: failed)

            let waiting = try await deployment.control("job", done, "--api", api)
            #expect(waiting.outputText.contains("no worker takes from queue 'default'"))
            let queues = try await deployment.control("queue", "--api", api)
            #expect(lines(queues).first?.hasPrefix("QUEUE") == true)
            #expect(lines(queues).last?.contains("no worker") == true && queues.outputText.contains("2 normal"))

            let early = try await deployment.control(
                "wait", done, "--timeout", "1s", "--api", api, expecting: 69)
            #expect(early.errorText.contains("they go on") && early.outputText.isEmpty)
            let stopped = try deployment.startControl("wait", "--batch", "trip", "--api", api)
            let waiter = try deployment.startControl("wait", done, failed, "--api", api)
            try await eventually("Ctrl-C is handled") { try stopped.signals("SigCgt").contains(SIGINT) }
            stopped.signal(SIGINT)
            #expect(await stopped.wait() == 130)
            #expect(stopped.errorText.contains("the uploads go on"))

            try deployment.start(.worker)
            #expect(await waiter.wait() == 1, "\(waiter.errorText)")
            #expect(lines(waiter).contains("\(done) completed"))
            #expect(lines(waiter).contains { $0.hasPrefix("\(failed) failed: ") })
            #expect(try await deployment.control("wait", "--batch", "trip", "--api", api).outputText.isEmpty)
            try await deployment.waitForStatus("completed", of: done)
            try await deployment.waitForStatus("failed", of: failed)
            try await deployment.waitForOutcomes(2)

            let jobs = lines(try await deployment.control("jobs", "--api", api))
            #expect(jobs.count == 3 && jobs[0].hasPrefix("ID ") && jobs[1].hasPrefix(failed))
            #expect(jobs[2].hasPrefix(done) && jobs[2].contains("completed"))
            let bare = try await deployment.control("jobs", "--no-header", "--api", api)
            #expect(lines(bare).map { $0.prefix(36) } == jobs.dropFirst().map { $0.prefix(36) })
            let some = try await deployment.control("jobs", "--status", "failed", "-o", "ndjson", "--api", api)
            let object = try JSONSerialization.jsonObject(with: Data(some.outputText.utf8)) as? [String: Any]
            #expect(object?["id"] as? String == failed)
            let first = lines(try await deployment.control("jobs", "--limit", "1", "-o", "ndjson", "--api", api))
            #expect(first.count == 1 && first[0].contains(failed))
            let whole = try await deployment.control("jobs", "-o", "json", "--api", api)
            let array = try JSONSerialization.jsonObject(with: Data(whole.outputText.utf8)) as? [[String: Any]]
            #expect(array?.map { $0["id"] as? String } == [failed, done])
            let empty = try await deployment.control("jobs", "--batch", "other", "-o", "json", "--api", api)
            #expect(empty.outputText == "[]\n" && empty.errorText.isEmpty)
            let wide = lines(try await deployment.control("jobs", "-o", "wide", "--api", api))
            #expect(wide[0].contains("  ENQUEUED") && wide[2].contains("  trip  "))
            let wrong = try await deployment.control("jobs", "-o", "yaml", "--api", api, expecting: 64)
            #expect(wrong.errorText.contains("'yaml' is invalid") && wrong.errorText.contains("'ndjson'"))
            let groups = lines(try await deployment.control("failures", "--since", "1h", "--api", api))
            #expect(groups.count == 3 && groups[0].hasPrefix("DESTINATION "), "\(groups)")
            // The line is an order about the job that failed, and about no other.
            let again = try #require(groups.last?.split(separator: " ").dropFirst().map(String.init))
            #expect(again.prefix(2) == ["run", "--again"])
            let code = try #require(again.firstIndex(of: "--error").map { again[$0 + 1] })
            let failures = lines(
                try await deployment.control(
                    "jobs", "--error", code, "-o", "ndjson", "--ended-since", "1h", "--api", api))
            #expect(failures.count == 1 && failures[0].contains(failed))
            let planned = try await deployment.control(again + ["--dry-run"])
            #expect(planned.outputText.contains("that failed with \(code) that are failed"))
            let none = try await deployment.control("jobs", "--batch", "other", "--api", api)
            #expect(none.outputText.isEmpty && none.errorText == "uploadctl: there are none\n")

            let end = try await deployment.control("job", done, "--api", api)
            #expect(end.outputText.contains("it has completed") && end.outputText.contains("  batch     trip\n"))
            #expect(end.outputText.contains("  enqueued\n"))
            #expect(end.outputText.contains("delegate events took the outcome\n"))
            let trouble = try await deployment.control("job", failed, "--api", api)
            #expect(trouble.outputText.contains("it has failed") && trouble.outputText.contains("attempt 1 failed"))
            let unknown = try await deployment.control("job", JobID().rawValue, "--api", api, expecting: 66)
            #expect(unknown.errorText.contains("the ledger knows no job"))

            try await eventually("the broker's confirms are noted") {
                try deployment.queryLedger("SELECT count(*) FROM owed") == ["0"]
            }
            let forgotten = try await deployment.control("forget", "--batch", "trip", "--ended-until", "0s")
            #expect(forgotten.outputText == "\(done) is forgotten\n")
            let left = try await deployment.control("job", done, "--api", api)
            #expect(left.outputText.contains("were forgotten at") && !left.outputText.contains("trip"))
            #expect(left.outputText.contains("delegate events took the outcome"))
            let refused = try await deployment.control("run", "--again", done, expecting: 1)
            #expect(refused.errorText.contains("was forgotten"))
            #expect(try deployment.queryLedger("SELECT count(*) FROM jobs WHERE forgotten IS NOT NULL") == ["1"])
        }
    }

    @Test func delegatesDeadLettersAndDestinationsAreLookedAfter() async throws {
        try await Deployment.with { deployment in
            let api = try await notifier(deployment).api
            let file = try deployment.makeFile("a.bin", bytes: 100)
            let id = try #require(try await deployment.enqueue(["--to", "local:a", file.path]).first)
            try await deployment.waitForStatus("queued", of: id)

            try await deployment.control("delegate", "pause", "events", "--api", api)
            let list = try await deployment.control("delegate", "list", "--api", api)
            #expect(lines(list).last?.contains("paused") == true)
            #expect(list.errorText.contains("'uploadctl delegate resume events' goes on"))
            try await deployment.control("delegate", "resume", "events", "--api", api)
            let test = try await deployment.control("delegate", "test", "events", "--api", api)
            #expect(test.outputText.contains("took an invented outcome"))
            try await deployment.control("delegate", "replay", "events", "--since", "1h", "--api", api)
            let stranger = try await deployment.control("delegate", "test", "nobody", "--api", api, expecting: 66)
            #expect(stranger.errorText.contains("no delegate is named 'nobody'"))

            try await deployment.publishNonsense()
            try await eventually("the letter is recorded") {
                try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["1"]
            }
            let dead = lines(try await deployment.control("dead", "list", "-o", "ndjson", "--api", api))
            let letter = try JSONSerialization.jsonObject(with: Data(dead.joined().utf8)) as? [String: Any]
            let number = try #require(letter?["id"] as? Int)
            let shown = try await deployment.control("dead", "show", "\(number)", "--api", api)
            #expect(shown.outputText.contains("nonsense"))
            let replay = try await deployment.control("dead", "replay", "\(number)", "--api", api)
            #expect(replay.outputText.contains("is published again: to the notifier's queue"))
            try await eventually("what cannot be read comes back") {
                try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["2"]
            }
            let back = try await deployment.control("dead", "show", "\(number + 1)", "--api", api)
            #expect(back.outputText.contains("replay of: dead letter \(number), which came back as this one"))
            let twice = try await deployment.control("dead", "replay", "\(number)", "--api", api, expecting: 1)
            #expect(twice.errorText.contains("was published again at"))
            try await deployment.control("dead", "replay", "99", "--api", api, expecting: 66)
            try await deployment.control("dead", "replay", "--api", api, expecting: 64)
            let unconfirmed = try await deployment.control("dead", "discard", "\(number)", "--api", api, expecting: 64)
            #expect(unconfirmed.errorText.contains("confirm it with --yes"))
            try await deployment.control("dead", "discard", "\(number)", "--yes", "--api", api)
            try await deployment.control("dead", "show", "\(number)", "--api", api, expecting: 66)

            let backup = deployment.path.appending(path: "backup.sqlite").path
            try await deployment.control("ledger", "backup", backup, "--api", api)
            #expect(FileManager.default.fileExists(atPath: backup))
            try await deployment.control("ledger", "backup", "backup.sqlite", "--api", api, expecting: 64)
            let queue = try await deployment.control("queue", "show", "default", "--api", api)
            #expect(queue.outputText.contains("  jobs      1 queued\n"))
            let mistyped = try await deployment.control("queue", "show", "defalut", "--api", api, expecting: 66)
            #expect(mistyped.errorText.contains("did you mean 'default'?"))
            let typo = try await deployment.control("quue", "--api", api, expecting: 64)
            #expect(typo.errorText.contains("did you mean 'queue'?"))
            let none = try await deployment.control("delivery", "--delegate", "evnts", "--api", api)
            #expect(none.errorText.contains("there are none") && none.errorText.contains("did you mean 'events'?"))
            try await deployment.control("delivery", "show", "1", "--api", api, expecting: 66)
            let completed = try await deployment.control(
                "---completion", "queue", "stop", "--", "positional@0", "3", "0",
                "uploadctl", "queue", "stop", "", "--api", api)
            #expect(completed.outputText == "default\n")

            let destinations = try await deployment.control("destination", "list", "--api", api)
            #expect(lines(destinations).last?.hasPrefix("local") == true)
        }
    }

    /// The producer is newer than the notifier; then the notifier is updated, which the test simulates in the ledger.
    @Test func aJobThatCouldNotBeReadIsUploadedOnceWhenItsCauseIsMended() async throws {
        try await Deployment.with { deployment in
            let (program, api) = try await notifier(deployment)
            try deployment.start(.worker)
            let id = JobID().rawValue
            let job = """
                {"id": "\(id)", "queue": "default", "size": 5, "enqueuedAt": "\(WireJSON.timestamp(Date()))",
                "source": {"kind": "inline", "data": "aGVsbG8="},
                "destination": {"name": "local", "key": "late.txt"}}
                """
            try await deployment.publishToNotifier(Data(job.utf8), id: id, type: "upload.job.v2")
            try await eventually("the letter is recorded") {
                try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["1"]
            }
            let early = try await deployment.control(
                "dead", "list", "--type", "upload.job.v2", "-o", "ndjson", "--api", api)
            #expect(early.outputText.contains("was written by a newer version"))
            await program.stop()
            try deployment.changeLedger(
                """
                UPDATE unreadable SET envelope =
                CAST(replace(CAST(envelope AS TEXT), 'upload.job.v2', 'upload.job.v1') AS BLOB)
                """)
            let next = try await notifier(deployment).api
            let all = try await deployment.control(
                "dead", "replay", "--all", "--type", "upload.job.v1", "--yes", "-o", "ndjson", "--api", next)
            #expect(all.outputText.contains(#""done":true"#), "\(all.outputText)")
            try await deployment.waitForOutcomes(1)
            let arrived = try Data(contentsOf: deployment.uploaded.appending(path: "late.txt"))
            #expect(arrived == Data("hello".utf8))
            // From now on the end of the job decides.
            try deployment.changeLedger("UPDATE unreadable SET replayed = NULL")
            let ended = try await deployment.control("dead", "replay", "1", "--api", next, expecting: 1)
            #expect(ended.errorText.contains("has ended as completed"))
            try await deployment.waitForLedger()
            #expect(try deployment.toldOutcomes().count == 1)
        }
    }

    @Test func eventsAreWatchedOverARestartOfTheNotifier() async throws {
        try await Deployment.with { deployment in
            let first = try deployment.start(.notifier)
            let port = try #require(first.port)
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            let watch = try deployment.startControl("watch", "-o", "ndjson", "--api", "http://127.0.0.1:\(port)")
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            // The first event may come before the watch has begun.
            try await eventually("the watch has begun") {
                _ = try await deployment.enqueue(["--to", "local:1", file.path])
                return watch.outputText.contains("upload.completed")
            }
            await first.stop()
            let late = try #require(try await deployment.enqueue(["--to", "local:2", file.path]).first)
            try deployment.start(.notifier, ["--http", "127.0.0.1:\(port)"])
            try await eventually("what came in the meantime is told") {
                watch.outputText.split(separator: "\n").contains {
                    $0.contains(late) && $0.contains("upload.completed")
                }
            }
            #expect(watch.errorText.contains("the connection to the notifier broke; trying again"))
            watch.signal(SIGINT)
            #expect(await watch.wait() == 130)
            let sequences = try watch.outputText.split(separator: "\n").map { line in
                let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(event?["sequence"] as? Int)
            }
            #expect(sequences == Set(sequences).sorted(), "nothing comes twice, and all in order")
        }
    }

    @Test func whatRunsIsShownByBarsThatFitTheTerminal() async throws {
        let slow = try TemporaryDirectory()
        let destination = "slow: {driver: directory, path: \(slow.url.path), limits: {bytesPerSecond: 2MiB}}"
        try await Deployment.with(destinations: [destination]) { deployment in
            let port = try #require(try await notifier(deployment).program.port)
            try deployment.start(.worker)
            let file = try deployment.makeFile("slow.bin", bytes: 400 << 20)
            let id = try #require(try await deployment.enqueue(["--to", "slow:", file.path]).first)
            try await deployment.waitForStatus("running", of: id)
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API/terminal.py")
            let uploadctl = Program.control.url.path
            let terminal = try RunningProgram(
                URL(filePath: "/usr/bin/env"),
                ["python3", script.path, uploadctl, "watch", "--api", "http://127.0.0.1:\(port)"],
                environment: [
                    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8",
                    "PYTHONDONTWRITEBYTECODE": "1",
                ], directory: deployment.path, logs: deployment.logs, name: "terminal")
            let status = await terminal.wait()
            #expect(status == 0, "\(terminal.errorText.suffix(3000))")
            let running = try await deployment.control("job", id, "-o", "json", "--api", "http://127.0.0.1:\(port)")
            #expect(running.outputText.contains("\"bytesDone\":"))
            try await deployment.control("cancel", id)
            try await deployment.waitForStatus("cancelled", of: id)
        }
    }

    @Test func liveWorkersAreListedUntilTheyEnd() async throws {
        try await Deployment.with { deployment in
            let api = try await notifier(deployment).api
            let none = try await deployment.control("workers", "--api", api)
            #expect(none.errorText == "uploadctl: there are none; one that runs is shown within 10 s\n")
            let first = try deployment.start(.worker)
            let second = try deployment.start(.worker, ["--queue", "video", "--concurrency", "3"])
            try await eventually("both are listed") {
                lines(try await deployment.control("workers", "--no-header", "--api", api)).count == 2
            }
            let rows = lines(try await deployment.control("workers", "--api", api))
            #expect(rows[0].hasPrefix("WORKER ") && rows.dropFirst().allSatisfy { $0.contains("  running  ") })
            #expect(rows.contains { $0.contains("  0/3  ") && $0.hasSuffix("  video") })
            await first.stop()
            try await eventually("a worker that was stopped is gone") {
                let left = lines(try await deployment.control("workers", "--no-header", "--api", api))
                return left.count == 1 && left[0].hasSuffix("  video")
            }
            second.signal(SIGKILL)
            try await eventually("and so is one that was killed, after a while") {
                try await deployment.control("workers", "--api", api).outputText.isEmpty
            }
        }
    }

    @Test func whoeverCannotBeReachedOrRefusesIsNamedWithWhatToDo() async throws {
        try await Deployment.with { deployment in
            let closed = "http://127.0.0.1:\(try Ports.free())"
            for command in [["jobs"], ["watch"], ["dead", "list"]] {
                let away = try await deployment.control(command + ["--api", closed], expecting: 69)
                #expect(away.errorText.contains("no notifier answers at \(closed)"))
                #expect(away.errorText.contains("start upload-notifier"))
            }
            let port = try Ports.free()
            let guarded = try deployment.start(
                .notifier, ["--http", "127.0.0.1:\(port)"], environment: ["UPLOAD_NOTIFIER_TOKEN": "0123456789abcdef"])
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            let api = "http://127.0.0.1:\(port)"
            let refused = try await deployment.control(["queue", "list", "--api", api], expecting: 77)
            #expect(refused.errorText.contains("--token-file"))
            let token = deployment.path.appending(path: "token")
            try Data("0123456789abcdef\n".utf8).write(to: token)
            try await deployment.control(["queue", "list", "--api", api, "--token-file", token.path])
            try Data("another-token-of-16\n".utf8).write(to: token)
            try await deployment.control(["jobs", "--api", api, "--token-file", token.path], expecting: 77)
            await guarded.stop()
        }
    }

    @Test func helpFitsEightyColumnsAndAScriptForTheShellStandsAlone() async throws {
        try await Deployment.with { deployment in
            for command in ["jobs", "job", "failures", "watch", "queue", "delegate", "dead", "destination"] {
                let help = try await deployment.control([command, "--help"])
                #expect(help.outputText.contains("EXAMPLES\n  uploadctl \(command)"))
            }
            let script = try await deployment.control(["--generate-completion-script", "bash"])
            #expect(!script.outputText.contains("EXAMPLES"))
            let file = deployment.path.appending(path: "completion.bash")
            try Data(script.outputText.utf8).write(to: file)
            _ = try await Shell.run("bash", "-n", file.path)
        }
    }
}

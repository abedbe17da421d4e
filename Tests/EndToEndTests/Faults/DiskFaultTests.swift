import Foundation
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// Disks that are full, read-only or broken: an accepted job is durable, a job that is not durable is not accepted, and a destination
/// that recovers gets the jobs that waited for it.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DiskFaultTests {
    private func expectRefusal(
        _ program: RunningProgram, _ deployment: Deployment, status: ExitStatus, saying words: String...
    ) async throws {
        #expect(await program.wait() == status.rawValue, "\(program.errorText)")
        #expect(program.outputText.isEmpty)
        for word in words { #expect(program.errorText.contains(word), "'\(word)' in: \(program.errorText)") }
        try await deployment.expectNothingPublished()
    }

    private enum ExitStatus: Int32 {
        case inputOutput = 74
        case configuration = 78
    }

    @Test func aFullStagingAreaAcceptsNothingAndKeepsNothing() async throws {
        try await Deployment.with { deployment in
            try FileManager.default.createDirectory(at: deployment.staging, withIntermediateDirectories: true)
            let disk = try await SmallDisk.mount(at: deployment.staging, bytes: 6 << 20)
            let files = try ["a.bin", "b.bin"].map { try deployment.makeFile($0, bytes: 4 << 20) }
            // The first file fits; it is enqueued again with the second one.
            let both = try await deployment.run(
                .enqueue, ["--to", "local:"] + files.map(\.path), under: disk.wrapper)
            try await expectRefusal(
                both, deployment, status: .inputOutput, saying: "no space is left", "free some", "nothing was enqueued")
            #expect(try disk.names() == [".longshore-area"])

            let large = try deployment.makeFile("large.bin", bytes: 8 << 20)
            let stream = try await deployment.run(
                .enqueue, ["--to", "local:stream", "-"], input: large, under: disk.wrapper)
            try await expectRefusal(stream, deployment, status: .inputOutput, saying: "no space is left", "free some")
            #expect(try disk.names() == [".longshore-area"])

            let one = try await deployment.run(.enqueue, ["--to", "local:", files[0].path], under: disk.wrapper)
            #expect(await one.wait() == 0, "\(one.errorText)")
            try deployment.start(.notifier)
            try deployment.start(.worker, under: disk.wrapper)
            try await deployment.waitForOutcomes(1)
            try deployment.expectArrived("a.bin", like: files[0])
            try await disk.unmount()
        }
    }

    /// Of many files, those that fit are published, group after group, before the disk is full.
    @Test func whatFitsIntoAStagingAreaArrivesAndTheOthersAreSaid() async throws {
        try await Deployment.with { deployment in
            try FileManager.default.createDirectory(at: deployment.staging, withIntermediateDirectories: true)
            let (group, count, size) = (64, 70, 4 << 20)
            let disk = try await SmallDisk.mount(at: deployment.staging, bytes: (group + 2) * size)
            let files = try (0..<count).map { try deployment.makeFile("many/\(100 + $0)", bytes: size) }
            let program = try await deployment.run(
                .enqueue, ["--to", "local:", files[0].deletingLastPathComponent().path], under: disk.wrapper)
            #expect(await program.wait() == 74, "\(program.errorText)")
            for words in [
                "no space is left", "\(group) of \(count) were enqueued", "1 cannot be enqueued", "free some",
            ] {
                #expect(program.errorText.contains(words), "'\(words)' in: \(program.errorText)")
            }
            #expect(program.outputText.split(separator: "\n").count == group)
            try deployment.start(.notifier)
            try deployment.start(.worker, under: disk.wrapper)
            try await deployment.waitForOutcomes(group)
            let arrived = files.filter {
                FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: $0.lastPathComponent).path)
            }
            #expect(arrived.count == group)
            let last = try #require(arrived.last)
            try deployment.expectArrived(last.lastPathComponent, like: last)
            try await eventually("no copy is left, published or not") { try disk.names() == [".longshore-area"] }
            try await disk.unmount()
        }
    }

    @Test func aFullOutboxAcceptsNothing() async throws {
        try await Deployment.with(url: "amqp://guest:guest@127.0.0.1:\(try Ports.free())/") { deployment in
            try FileManager.default.createDirectory(at: deployment.staging, withIntermediateDirectories: true)
            let disk = try await SmallDisk.mount(at: deployment.staging, bytes: 16 << 10)
            let file = try deployment.makeFile("a.bin", bytes: 30_000)
            let program = try await deployment.run(.enqueue, ["--to", "local:", file.path], under: disk.wrapper)
            #expect(await program.wait() == 74, "\(program.errorText)")
            #expect(program.outputText.isEmpty)
            #expect(program.errorText.contains("no space is left"), "\(program.errorText)")
            let outbox = disk.inside.appending(path: "outbox")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outbox.path) == [])
            try await disk.unmount()
        }
    }

    /// The copies of the files are complete, and only the outbox's own entries cannot be made durable.
    @Test func whatStaysInAnOutboxThatCannotBeFlushedKeepsItsCopy() async throws {
        try await Deployment.with(url: "amqp://guest:guest@127.0.0.1:\(try Ports.free())/") { deployment in
            let outbox = deployment.staging.appending(path: "outbox").path
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let program = try await deployment.run(
                .enqueue, ["--to", "local:", file.path],
                under: Strace.injecting("error=EIO", into: "fsync", about: [outbox]))
            #expect(await program.wait() == 74, "\(program.errorText)")
            #expect(program.outputText.isEmpty)
            #expect(program.errorText.contains("1 may have been enqueued"), "\(program.errorText)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outbox).count == 1)
            let copies = deployment.stagedFiles().filter { UUID(uuidString: $0) != nil }
            #expect(copies.count == 1, "the job that is published later needs it: \(deployment.stagedFiles())")
        }
    }

    @Test func aFileBeyondTheLimitOfAProcessIsRefused() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 4 << 20)
            let program = try await deployment.run(
                .enqueue, ["--to", "local:", file.path], under: ["/usr/bin/prlimit", "--fsize=1000000", "--"])
            try await expectRefusal(program, deployment, status: .configuration, saying: "larger than", "staging area")
            #expect(deployment.stagedFiles() == [])
        }
    }

    @Test func aStagingAreaThatMayNotBeWrittenIsNamed() async throws {
        try await Deployment.with { deployment in
            let first = try deployment.makeFile("first.bin", bytes: 100_000)
            _ = try await deployment.enqueue(["--to", "local:", first.path])
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            try await deployment.waitForOutcomes(1)
            #expect(await worker.stop() == 0)
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: deployment.staging.path)
            let program = try await deployment.run(
                .enqueue, ["--to", "local:", first.path], mayReadAll: false)
            try await expectRefusal(
                program, deployment, status: .configuration, saying: deployment.staging.path, "group")
            #expect(deployment.stagedFiles() == [])
        }
    }

    /// A single file is flushed by itself, many files by one call for the whole file system.
    @Test(arguments: [1, 12]) func whatCannotBeFlushedIsNotAccepted(count: Int) async throws {
        try await Deployment.with { deployment in
            let files = try (0..<count).map { try deployment.makeFile("\($0).bin", bytes: 100_000) }
            // The staging area exists, and works.
            let sound = try deployment.makeFile("sound.bin", bytes: 100_000)
            try deployment.start(.notifier)
            try deployment.start(.worker)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", sound.path])
            try await deployment.waitForLedger()
            let program = try await deployment.run(
                .enqueue, ["--to", "local:"] + files.map(\.path),
                under: Strace.injecting("error=EIO", into: "fsync,fdatasync,syncfs"))
            try await expectRefusal(
                program, deployment, status: .inputOutput, saying: deployment.staging.path, "nothing was enqueued")
            #expect(deployment.stagedFiles() == [])
            #expect(try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|1"])
        }
    }

    @Test func aWorkerThatCannotMakeItsStagingAreaEndsInGoodOrder() async throws {
        try await Deployment.with { deployment in
            let worker = try await deployment.run(.worker, [], under: Strace.injecting("error=EIO", into: "fsync"))
            #expect(await worker.wait() == 74, "\(worker.errorText.suffix(2000))")
            #expect(worker.errorText.contains("the staging area failed at \(deployment.staging.path)"))
        }
    }

    @Test func aFullDestinationIsWaitedFor() async throws {
        try await Deployment.with { deployment in
            let disk = try await SmallDisk.mount(at: deployment.uploaded, bytes: 24 << 20)
            try disk.fill("other", bytes: 16 << 20)
            try deployment.start(.notifier)
            try deployment.start(.worker, under: disk.wrapper)
            let file = try deployment.makeFile("a.bin", bytes: 20 << 20)
            let patient = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            // A command that gives up leaves nothing there that would take up the little space.
            let hasty = try await deployment.run(
                .enqueue, ["--to", "local:hasty.bin", "--expires-in", "5s", "--wait", file.path])
            #expect(await hasty.wait() == 1)
            #expect(hasty.errorText.contains("time ran out"), "\(hasty.errorText)")
            try await deployment.waitForStatus("waiting", of: patient)
            #expect(try disk.names() == ["other"])
            try disk.remove("other")
            let told = try await deployment.waitForOutcomes(2)
            let failed = try #require(told.first?["data"] as? [String: Any])
            #expect((failed["error"] as? [String: Any])?["code"] as? String == "expired")
            #expect(failed["attempts"] as? Int == 0, "it only waited")
            #expect(told.last?["subject"] as? String == patient)
            #expect(told.last?["type"] as? String == "upload.completed")
            #expect(try disk.names() == ["a.bin"])
            let digests = try await deployment.digests(of: [file, disk.inside.appending(path: "a.bin")])
            #expect(digests[0] == digests[1])
            try await disk.unmount()
        }
    }

    /// One worker's disk breaks, and another worker's disk works.
    @Test(arguments: ["fdatasync", "fsync"]) func aDestinationThatCannotFlushIsTriedAgain(call: String) async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 20 << 20)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            let broken = try deployment.start(.worker, under: Strace.injecting("error=EIO", into: call))
            try await deployment.waitForStatus("waiting", of: id)
            #expect(!FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "a.bin").path))
            #expect(await broken.stop() == 0)
            try deployment.start(.worker)
            let told = try await deployment.waitForOutcomes(1)
            let data = try #require(told.first?["data"] as? [String: Any])
            #expect(told.first?["type"] as? String == "upload.completed")
            #expect(data["attempts"] as? Int ?? 0 > 0)
            let failures = data["failures"] as? [[String: Any]] ?? []
            #expect(failures.contains { "\($0)".contains("serverFailure") }, "\(failures)")
            try deployment.expectArrived("a.bin", like: file)
        }
    }

    @Test func aFullDiskUnderTheLedgerIsSaidAndEverythingIsRecordedOnceThereIsRoom() async throws {
        try await Deployment.with { deployment in
            let folder = deployment.path.appending(path: "ledger")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let disk = try await SmallDisk.mount(at: folder, bytes: 16 << 20)
            let notifier = try deployment.start(
                .notifier, environment: ["UPLOAD_NOTIFIER_LEDGER": "\(folder.path)/ledger.sqlite"],
                under: disk.wrapper)
            try await eventually("it is ready") { try await notifier.readiness() == "ready\n" }
            var fillers = 0
            while (try? disk.fill("filler-\(fillers)", bytes: 64 << 10)) != nil { fillers += 1 }
            try deployment.start(.worker)
            // More jobs than the ledger's log has room for by now.
            let files = try (0..<200).map { try deployment.makeFile("\($0).bin", bytes: 1000).path }
            let ids = try await deployment.enqueue(["--to", "local:"] + files)
            let reason = "it cannot record: no space is left for the ledger"
            try await eventually("it says that it is not ready") {
                try await notifier.readiness().hasPrefix("not ready: \(reason)")
            }
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            let jobs = try await deployment.control("jobs", "--api", api, expecting: nil)
            #expect(
                jobs.errorText.contains("this may be old, for the notifier is not ready: \(reason)"),
                "\(jobs.errorText)")
            for filler in 0...fillers { try? disk.remove("filler-\(filler)") }
            let told = try await deployment.waitForOutcomes(ids.count)
            #expect(Set(told.compactMap { $0["subject"] as? String }) == Set(ids))
            try await eventually("it is ready again") { try await notifier.readiness() == "ready\n" }
            await notifier.stop()
            try await disk.unmount()
        }
    }

    /// With an existing ledger, and without one.
    @Test(arguments: [true, false]) func aNotifierThatStartsOnAFullDiskWaitsForRoom(hasLedger: Bool) async throws {
        try await Deployment.with { deployment in
            let folder = deployment.path.appending(path: "ledger")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let disk = try await SmallDisk.mount(at: folder, bytes: 16 << 20)
            func startNotifier() throws -> RunningProgram {
                try deployment.start(
                    .notifier, environment: ["UPLOAD_NOTIFIER_LEDGER": "\(folder.path)/ledger.sqlite"],
                    under: disk.wrapper)
            }
            if hasLedger {
                let first = try startNotifier()
                try await eventually("it is ready") { try await first.readiness() == "ready\n" }
                #expect(await first.stop() == 0)
            }
            var fillers = 0
            while (try? disk.fill("filler-\(fillers)", bytes: 4 << 10)) != nil { fillers += 1 }
            let reason = "it cannot record: no space is left for the ledger \(folder.path)/ledger.sqlite; free some"
            let stopped = try startNotifier()
            try await eventually("it says that it is not ready") {
                try await stopped.readiness() == "not ready: \(reason)\n"
            }
            let api = "http://127.0.0.1:\(try #require(stopped.port))"
            let jobs = try await deployment.control("jobs", "--api", api, expecting: 69)
            #expect(jobs.errorText.contains("no space is left for the ledger"), "\(jobs.errorText)")
            #expect(await stopped.stop() == 0)

            let notifier = try startNotifier()
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            let ids = try await deployment.enqueue(["--to", "local:", file.path])
            try await eventually("it waits") { try await notifier.readiness() == "not ready: \(reason)\n" }
            for filler in 0...fillers { try? disk.remove("filler-\(filler)") }
            let told = try await deployment.waitForOutcomes(1)
            #expect(told.compactMap { $0["subject"] as? String } == ids)
            try await eventually("it is ready") { try await notifier.readiness() == "ready\n" }
            #expect(await notifier.stop() == 0)
            try await disk.unmount()
        }
    }

    @Test func whereInodesAreShortThatIsSaidAndWhatWaitsForOneGoesOn() async throws {
        try await Deployment.with { deployment in
            try FileManager.default.createDirectory(at: deployment.staging, withIntermediateDirectories: true)
            let staging = try await SmallDisk.mount(at: deployment.staging, bytes: 16 << 20, inodes: 8)
            let uploaded = try await SmallDisk.mount(at: deployment.uploaded, bytes: 16 << 20, inodes: 8)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            var empty = try staging.fillInodes()
            let refused = try await deployment.run(.enqueue, ["--to", "local:", file.path], under: staging.wrapper)
            try await expectRefusal(
                refused, deployment, status: .inputOutput, saying: "its file system has no inodes left",
                "nothing was enqueued")
            for name in empty { try staging.remove(name) }

            empty = try uploaded.fillInodes()
            try deployment.start(.notifier)
            // Each of the two disks is mounted in a mount namespace of its own, and the worker needs only the second, because
            // the job's message carries the file.
            try deployment.start(.worker, under: uploaded.wrapper)
            let small = try deployment.makeFile("small.bin", bytes: 1000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", small.path]).first)
            try await deployment.waitForStatus("waiting", of: id)
            try await deployment.waitForLedger()
            #expect(
                try deployment.history(of: id).contains("its file system has no inodes left; remove some files there"))
            for name in empty { try uploaded.remove(name) }
            _ = try await deployment.waitForOutcomes(1)
            #expect(try uploaded.names() == ["small.bin"])
            try await staging.unmount()
            try await uploaded.unmount()
        }
    }

    @Test(arguments: ["", ".lock"]) func aLedgerWhoseFileIsReplacedIsSaidAndNothingIsTakenUntilItIsPutRight(
        suffix: String
    ) async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            try deployment.start(.worker)
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 1000) }
            _ = try await deployment.enqueue(["--to", "local:", "--wait", files[0].path])
            let file = URL(filePath: deployment.ledger.path + suffix)
            let backup = deployment.path.appending(path: "backup.sqlite")
            try FileManager.default.removeItem(at: file)
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            _ = try await deployment.enqueue(["--to", "local:", files[1].path])
            try await eventually("it says so") {
                try await notifier.readiness().contains("\(file.path) was deleted or replaced")
            }
            // The remedy that the reason names.
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            _ = try await deployment.control("ledger", "backup", backup.path, "--api", api)
            #expect(await notifier.stop() == 0)
            for suffix in ["", "-wal", "-shm", ".lock"] { unlink(deployment.ledger.path + suffix) }
            try FileManager.default.moveItem(at: backup, to: deployment.ledger)
            try deployment.start(.notifier)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", files[2].path])
            _ = try await deployment.waitForOutcomes(3)
            try await deployment.waitForLedger()
            #expect(try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|3"])
        }
    }
}

import Foundation
import Testing
import UploadTesting

/// The example programs, run as a newcomer would run them.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClientExampleTests {
    @Test func theUploaderShowsProgressAndTheServiceIsToldOfEverythingThoughItIsKilled() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let journal = deployment.path.appending(path: "journal")
            func noted() -> [String] {
                ((try? String(contentsOf: journal, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            }
            func upload(_ name: String) async throws -> String {
                let file = try deployment.makeFile(name, bytes: 200_000)
                let program = try deployment.startExample("example-uploader", [file.path, "local:\(name)"])
                #expect(await program.wait() == 0, "\(program.errorText)")
                try deployment.expectArrived(name, like: file)
                #expect(program.errorText.contains("completed"))
                return try #require(program.outputText.split(separator: "\n").first.map(String.init))
            }
            func startService() async throws -> RunningProgram {
                let service = try deployment.startExample("example-delegate-service", [journal.path])
                try await eventually("the service listens") { service.errorText.contains("listening") }
                return service
            }
            // Uploaded before any service listens.
            var ids = [try await upload("0.bin")]
            var service = try await startService()
            defer { service.signal(SIGKILL) }
            for round in 1...3 {
                // The uploader ends at once, so the service receives the outcomes.
                ids += try await deployment.startUploads(of: "example-uploader", count: 20, named: "up-\(round)")
                try await eventually("the service is told of some") {
                    noted().count >= ids.count - 25
                }
                service.signal(SIGKILL)
                _ = await service.wait()
                ids += try await deployment.startUploads(of: "example-uploader", count: 5, named: "down-\(round)")
                service = try await startService()
            }
            let expected = Set(ids.dropFirst().map { "\($0).1.ended completed" })
            try await eventually("the service is told of everything", within: .seconds(240)) {
                expected.isSubset(of: noted())
            }
            // The service may receive again at most the outcome that it was handling when it was killed, and always under the same id.
            #expect(Set(noted()).subtracting(expected).count <= 1)
            #expect(noted().count <= expected.count + 1 + 3)
        }
    }

    @Test func theDownloaderBringsFilesAndGoesOnWhereItWasStopped() async throws {
        let shelf = try TemporaryDirectory("shelf"), target = try TemporaryDirectory("target")
        try await Deployment.with(
            destinations: ["shelf: {driver: directory, path: \(shelf.path), source: true}"]
        ) { deployment in
            let port = try #require(try deployment.start(.notifier).port)
            try await eventually("the ledger is there") {
                try await Web.page("http://127.0.0.1:\(port)/readyz") == "ready\n"
            }
            let original = try deployment.makeFile("film.mp4", bytes: 3_000_000)
            try FileManager.default.copyItem(at: original, to: shelf.file("film.mp4"))
            try shelf.write("a note", to: "note.txt")
            let stopped = try deployment.startExample(
                "example-download", [target.path, "shelf:film.mp4", "shelf:note.txt"])
            defer { stopped.signal(SIGKILL) }
            try await eventually("both jobs are there") {
                try deployment.queryLedger("SELECT count(*) FROM jobs") == ["2"]
            }
            // The program ignores and catches no signals but those that the libraries of Swift and C take before it begins.
            let taken: Set<Int32> = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, 32, 33]
            let plain = try RunningProgram(
                URL(filePath: "/usr/bin/sleep"), ["600"], environment: [:], directory: deployment.path,
                logs: deployment.logs, name: "sleep")
            let ignored = try stopped.signals("SigIgn").subtracting(taken)
            #expect(try ignored == plain.signals("SigIgn").subtracting(taken))
            let caught = try stopped.signals("SigCgt").subtracting(taken)
            #expect(caught == [])
            plain.signal(SIGKILL)
            _ = await plain.wait()
            stopped.signal(SIGKILL)
            _ = await stopped.wait()
            try deployment.start(.worker)
            let program = try deployment.startExample("example-download", [target.path])
            #expect(await program.wait() == 0, "\(program.errorText)")
            #expect(program.outputText == "film.mp4 3000000\nnote.txt 6\n")
            #expect(program.errorText.contains("100 %, 3000006 of 3000006 bytes"))
            let digests = try await deployment.digests(of: [original, target.file("film.mp4")])
            #expect(digests[0] == digests[1])
            #expect(target.read("note.txt").map { String(decoding: $0, as: UTF8.self) } == "a note")
        }
    }
}

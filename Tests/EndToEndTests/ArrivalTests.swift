import Foundation
import Testing
import UploadTesting

/// Files arrive byte for byte, whatever their size and name.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ArrivalTests {
    @Test func aGibibyteArrivesAndTheWorkerStaysSmall() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--parts", "4"])
            let file = try deployment.makeFile("large.bin", bytes: 1 << 30)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", file.path])
            try deployment.expectArrived("large.bin", like: file)
            #expect(try worker.residentBytesMaximum() < 128 << 20)
            let outcomes = try await deployment.waitForOutcomes(1)
            #expect(outcomes.map { $0["type"] as? String } == ["upload.completed"])
            try await eventually("the staged copy is removed") { deployment.stagedFiles().isEmpty }
        }
    }

    @Test func aThousandSmallFilesArriveAndMemoryDoesNotGrowWithJobs() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            for number in 0..<1000 { _ = try deployment.makeFile("many/\(number).bin", bytes: 4096) }
            let folder = deployment.path.appending(path: "files/many")
            let ids = try await deployment.enqueue(["--to", "local:first/", "--wait", folder.path])
            #expect(Set(ids).count == 1000)
            let before = try worker.residentBytesMaximum()
            for round in 2...4 {
                _ = try await deployment.enqueue(["--to", "local:\(round)/", "--wait", folder.path])
            }
            #expect(try worker.residentBytesMaximum() < before + (24 << 20))
            let originals = (0..<1000).map { folder.appending(path: "\($0).bin") }
            let arrived = (0..<1000).map { deployment.uploaded.appending(path: "first/\($0).bin") }
            #expect(try await deployment.digests(of: originals) == deployment.digests(of: arrived))
            let outcomes = try await deployment.waitForOutcomes(4000)
            #expect(Set(outcomes.compactMap { $0["id"] as? String }).count == 4000)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
        }
    }

    @Test func everyEdgeSizeArrives() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            let part = 8 << 20
            let sizes = [0, 1, 32_768, 32_769, part - 1, part, part + 1, 3 * part]
            let files = try sizes.map { try deployment.makeFile("\($0).bin", bytes: $0) }
            _ = try await deployment.enqueue(["--to", "local:", "--wait"] + files.map(\.path))
            for file in files { try deployment.expectArrived(file.lastPathComponent, like: file) }
        }
    }

    @Test func everyAwkwardNameArrives() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            let names = [
                "with space", "a+b", "100%", "%41", "Ærøskøbing ☂", "-leading", "quote'\"", "semi;colon", "a#b?c=d&e",
                // Two names in Unicode normal forms C and D: two files, though Swift's strings compare as equal.
                "caf\u{E9}", "cafe\u{301}",
            ]
            let files = try names.map { try deployment.makeFile($0, bytes: 40_000) }
            _ = try await deployment.enqueue(["--to", "local:in/", "--wait", "--"] + names)
            for (name, file) in zip(names, files) { try deployment.expectArrived("in/\(name)", like: file) }
        }
    }

    @Test func aDirectoryAManifestAndStandardInputArrive() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            let deep = try deployment.makeFile("tree/a/b.txt", bytes: 100)
            let top = try deployment.makeFile("tree/c.bin", bytes: 50_000)
            _ = try await deployment.enqueue(["--to", "local:tree/", "--wait", "tree"])
            try deployment.expectArrived("tree/a/b.txt", like: deep)
            try deployment.expectArrived("tree/c.bin", like: top)

            let manifest = deployment.path.appending(path: "manifest")
            try Data("{\"path\": \"tree/c.bin\", \"key\": \"named.bin\", \"metadata\": {\"a\": \"1\"}}\n".utf8)
                .write(to: manifest)
            _ = try await deployment.enqueue(["--to", "local:listed/", "--wait", "--manifest", manifest.path])
            try deployment.expectArrived("listed/named.bin", like: top)

            _ = try await deployment.enqueue(["--to", "local:piped.bin", "--wait", "-"], input: top)
            try deployment.expectArrived("piped.bin", like: top)
        }
    }
}

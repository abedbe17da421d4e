import Foundation
import Testing
import UploadTesting

/// `enqueue-upload --move`: files leave their directory once their jobs are accepted.
@Suite(.timeLimit(.minutes(40))) struct MoveTests {
    @Test func movedFilesArriveAndTheirNamesAreGoneBeforeTheUploadBegins() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let folder = deployment.path.appending(path: "outgoing")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // One rides in its message, one is copied, one is linked.
            let originals = try ["small": 1000, "middle": 1_000_000, "large": 20_000_000].map { name, bytes in
                let made = try deployment.makeFile("\(name).kept", bytes: bytes)
                try FileManager.default.copyItem(at: made, to: folder.appending(path: name))
                return (name, made)
            }
            let large = folder.appending(path: "large")
            let before = try #require(
                try FileManager.default.attributesOfItem(atPath: large.path)[.systemFileNumber] as? Int)
            _ = try await deployment.enqueue(["--to", "local:", "--move", folder.path])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            let inodes = try deployment.stagedFiles().map { name in
                try FileManager.default.attributesOfItem(
                    atPath: deployment.staging.appending(path: name).path)[.systemFileNumber] as? Int
            }
            #expect(inodes.contains(before), "the large file was copied")

            try deployment.start(.worker)
            let outcomes = try await deployment.waitForOutcomes(3)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            for (name, original) in originals { try deployment.expectArrived(name, like: original) }
            #expect(deployment.stagedFiles() == [])
        }
    }
}

import Foundation
import Testing
import UploadTesting

/// An object that lies there already is replaced, kept, or makes the upload fail, as the command line says.
@Suite(.timeLimit(.minutes(40))) struct IfExistsTests {
    @Test func whatLiesThereIsTreatedAsTheCommandLineSays() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let first = try deployment.makeFile("first.bin", bytes: 20 << 20)
            let second = try deployment.makeFile("second.bin", bytes: 30_000)
            let to = ["--to", "local:x", "--wait"]
            _ = try await deployment.enqueue(to + ["--if-exists", "fail", first.path])
            try deployment.expectArrived("x", like: first)

            let kept = try await deployment.run(.enqueue, to + ["--if-exists", "skip", second.path])
            #expect(await kept.wait() == 0, "\(kept.errorText)")
            #expect(kept.errorText.contains("second.bin: local:x was there already"), "\(kept.errorText)")
            let refused = try await deployment.run(.enqueue, to + ["--if-exists", "fail", second.path])
            #expect(await refused.wait() == 1)
            #expect(refused.errorText.contains("local:x already lies there"), "\(refused.errorText)")
            try deployment.expectArrived("x", like: first)

            let beside = try await deployment.run(.enqueue, to + ["--if-exists", "rename", second.path])
            #expect(await beside.wait() == 0, "\(beside.errorText)")
            #expect(beside.errorText.contains("/x-1"), "\(beside.errorText)")
            try deployment.expectArrived("x-1", like: second)
            try deployment.expectArrived("x", like: first)

            _ = try await deployment.enqueue(to + [second.path])
            try deployment.expectArrived("x", like: second)
            let wrong = try await deployment.run(.enqueue, to + ["--if-exists", "ask", second.path])
            #expect(await wrong.wait() == 64)
        }
    }

    @Test func whatCannotBeAHeaderIsRefused() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 10)
            for option in [["--cache-control", "a\nb"], ["--tag", "=v"], ["--metadata", "a b=c"]] {
                let refused = try await deployment.run(.enqueue, ["--to", "local:"] + option + [file.path])
                #expect(await refused.wait() == 64, "\(option): \(refused.errorText)")
                #expect(refused.outputText.isEmpty)
            }
        }
    }
}

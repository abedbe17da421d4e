import Foundation
import Testing
import UploadTesting

/// The memory of `enqueue-upload` does not depend on the number of uploads.
@Suite(.timeLimit(.minutes(40))) struct EnqueueMemoryTests {
    /// Enqueues a small file the given number of times.
    /// - Returns: the ids, and the largest resident set of the program in bytes.
    private func enqueue(_ count: Int, _ deployment: Deployment) async throws -> (ids: [String], bytes: Int64) {
        let file = try deployment.makeFile("small-\(count)", bytes: 100)
        let list = deployment.path.appending(path: "list-\(count)")
        let lines = (0..<count).map {
            #"{"path": "\#(file.path)", "key": "folder/of/some/depth/\#(count)-\#($0).txt", "batch": "b\#($0)"}"#
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: list)
        let peak = deployment.path.appending(path: "peak-\(count)")
        // The kernel reports the largest resident set of a child when the child has ended (getrusage(2), in KiB).
        let script = """
            import resource, subprocess, sys
            code = subprocess.call(sys.argv[2:])
            open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
            sys.exit(code)
            """
        let program = try await deployment.run(
            .enqueue, ["--to", "local:", "--manifest", list.path],
            under: ["/usr/bin/env", "python3", "-c", script, peak.path])
        #expect(await program.wait() == 0, "\(program.errorText)")
        let kibibytes = try #require(Int64(String(contentsOf: peak, encoding: .utf8)))
        return (program.outputText.split(separator: "\n").map(String.init), kibibytes * 1024)
    }

    @Test func aLongListTakesNoMoreMemoryThanAShortOne() async throws {
        try await Deployment.with { deployment in
            let few = try await enqueue(1000, deployment)
            let many = try await enqueue(20_000, deployment)
            #expect(few.ids.count == 1000)
            #expect(many.ids.count == 20_000 && many.ids == Array(Set(many.ids)).sorted())
            // In arrays, the plan and the jobs took 7 KB for each upload.
            #expect(many.bytes < few.bytes + (40 << 20), "\(few.bytes >> 20) MiB, then \(many.bytes >> 20) MiB")
        }
    }
}

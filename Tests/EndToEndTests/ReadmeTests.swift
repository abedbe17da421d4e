import Foundation
import Testing
import UploadTesting

/// The commands of the README as they stand, with the files and destinations that they name.
@Suite(.timeLimit(.minutes(20))) struct ReadmeTests {
    /// Files below the directory in which the commands run.
    private static let files = [
        "cat.jpg", "photos/a.jpg", "photos/b/c.jpg", "report.pdf", "site.css", "site/index.html", "big.iso",
        "invoice.pdf", "1.log", "2.log", "3.log",
    ]

    /// The commands that do not end with 0: of a job that was never enqueued, and of one that is broken off.
    private static let statuses: [String: Int32] = [
        "uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90": 66, "uploadctl watch": 130,
    ]

    private static func commands() throws -> [String] {
        let readme = try String(contentsOf: Checkout.file("README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let block = try #require(blocks.first { $0.contains("enqueue-upload --to photos:2026/11/ cat.jpg") })
        return block.split(separator: "\n").map { String($0).replacing(/\s+#.*$/, with: "") }.filter { !$0.isEmpty }
    }

    @Test func itsCommandsWorkAsTheyStand() async throws {
        let place = try TemporaryDirectory("readme")
        for file in Self.files {
            try FileManager.default.createDirectory(
                at: place.file(file).deletingLastPathComponent(), withIntermediateDirectories: true)
            try place.write(file, to: file)
        }
        try FileManager.default.createDirectory(at: place.file("bin"), withIntermediateDirectories: false)
        try place.write("#!/bin/sh\necho 'CREATE TABLE shop;'\n", to: "bin/pg_dump")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path("bin/pg_dump"))
        let destinations = try ["photos", "archive", "web"].map { name in
            let directory = place.file("there/\(name)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            return "\(name): {driver: directory, path: \(directory.path), source: true}"
        }
        try await Deployment.with(destinations: destinations) { deployment in
            let notifier = try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            for program in [notifier, worker] {
                try await eventually("\(program.name) is ready") { try await program.readiness() == "ready\n" }
            }
            try FileManager.default.createSymbolicLink(
                at: place.file("upload.yaml"), withDestinationURL: deployment.configuration)
            let port = try #require(notifier.port)
            let programs = Program.folder.path
            func run(_ command: String) async throws -> (status: Int32, text: String) {
                let script = """
                    cd '\(place.path)' && export PATH='\(programs)':"$PWD/bin:$PATH"
                    export UPLOAD_NOTIFIER_HTTP=127.0.0.1:\(port)
                    \(command)
                    """
                let (output, errors) = try await Spawn.onThread {
                    try Spawn.run("/usr/bin/env", ["bash", "-c", script])
                }
                return (output.status, output.text + errors)
            }
            #expect(try await run("enqueue-upload --to photos:batch/ --batch holiday --wait cat.jpg").status == 0)
            let commands = try Self.commands()
            #expect(commands.count > 15)
            for command in commands where !command.hasSuffix("&") {
                var line = command
                // No test sends to other hosts, or writes into a home.
                if line.contains("bucket.example") || line.contains("file:///home") { line += " --dry-run" }
                // It ends only when it is told to.
                if line == "uploadctl watch" { line = "timeout --preserve-status --signal INT 2 \(line)" }
                let (status, text) = try await run(line)
                #expect(status == Self.statuses[command] ?? 0, "\(command): \(text)")
            }
            for file in ["photos/2026/11/cat.jpg", "photos/2026/11/b/c.jpg", "web/index.html"] {
                try await eventually("\(file) has arrived") {
                    FileManager.default.fileExists(atPath: place.path("there/\(file)"))
                }
            }
        }
    }
}

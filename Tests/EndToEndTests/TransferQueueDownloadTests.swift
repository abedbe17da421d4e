import Foundation
import Synchronization
import Testing
import UploadClient
import UploadTesting
import Uploads

/// Sessions whose files a worker, in a process of its own, reads at an account's destination.
@Suite(.serialized, .timeLimit(.minutes(40))) struct TransferQueueDownloadTests {
    /// Runs the body with a directory from which jobs may read, and a directory to download to.
    private func with(
        _ body: (Deployment, _ shelf: TemporaryDirectory, _ target: TemporaryDirectory) async throws -> Void
    ) async throws {
        let shelf = try TemporaryDirectory("shelf"), target = try TemporaryDirectory("target")
        try await Deployment.with(
            destinations: ["shelf: {driver: directory, path: \(shelf.path), source: true}"]
        ) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            try await body(deployment, shelf, target)
        }
    }

    private func expectSame(_ file: URL, _ other: URL) {
        #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: other.path), "\(other.path)")
    }

    @Test func aSessionOfDownloadsBringsFilesByteForByte() async throws {
        try await with { deployment, shelf, target in
            let film = shelf.file("2026/film.mp4"), notes = shelf.file("notes")
            try FileManager.default.createDirectory(
                at: film.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: try deployment.makeFile("film", bytes: 20_000_000), to: film)
            try FileManager.default.moveItem(at: try deployment.makeFile("notes", bytes: 1000), to: notes)
            try await deployment.withTransferQueue { queue in
                let downloads = [
                    try TransferDownload("2026/film.mp4", to: target.file("film.mp4").absoluteString),
                    try TransferDownload("notes", to: target.file("notes").absoluteString),
                ]
                let session = try await queue.enqueue(downloads, from: TransferAccount("shelf"))
                #expect(session.direction == .download && session.files.map(\.size) == [nil, nil])
                let fractions = Mutex<[Double]>([])
                let (_, events) = await queue.follow()
                let listening = Task {
                    for await event in events { fractions.withLock { $0.append(event.session.fractionDone) } }
                }
                try await queue.start()
                try await queue.waitForState(.finished, of: session.id)
                let ended = try #require(await queue.sessions.first)
                #expect(ended.files.map(\.size) == [20_000_000, 1000] && ended.bytesTotal == 20_001_000)
                #expect(ended.bytesDone == ended.bytesTotal && ended.fractionDone == 1)
                try await eventually("its end is told") { fractions.withLock { $0.last == 1 } }
                #expect(fractions.withLock { $0 == $0.sorted() })
                listening.cancel()
            }
            expectSame(film, target.file("film.mp4"))
            expectSame(notes, target.file("notes"))
            // No file passed through the app's staging area. Before the broker is connected, a job waits in its outbox.
            #expect(Set(deployment.stagedFiles()).isSubset(of: ["clients", "keys", "outbox"]))
        }
    }

    @Test func aDownloadThatRunsAgainLooksAgainAndWhatMayNotBeReadIsRefused() async throws {
        try await with { deployment, shelf, target in
            try await deployment.withTransferQueue { queue in
                func download(_ path: String) throws -> [TransferDownload] {
                    [try TransferDownload(path, to: target.file(path).absoluteString)]
                }
                let early = try await queue.enqueue(try download("late"), from: TransferAccount("shelf")).id
                // The configuration does not allow this destination as a source.
                let closed = try await queue.enqueue(try download("x"), from: TransferAccount("local")).id
                try await queue.start()
                try await queue.waitForState(.failed, of: early, closed)
                let failures = await queue.sessions.map(\.failure?.code)
                #expect(failures == [.invalidFile, .accessDenied])
                try shelf.write("it came late", to: "late")
                try await queue.run(early)
                try await queue.waitForState(.finished, of: early)
                #expect(target.read("late").map { String(decoding: $0, as: UTF8.self) } == "it came late")
            }
        }
    }
}

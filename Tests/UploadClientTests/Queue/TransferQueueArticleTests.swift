import Foundation
import Logging
import Testing
import UploadClient
import UploadTesting
import Uploads

/// The snippets of the article on transfer queues, line by line.
@Suite("The article on transfer queues", .timeLimit(.minutes(10))) struct TransferQueueArticleTests {
    struct Teller: TransferQueueDelegate {
        func transferQueue(_ queue: TransferQueue, didFinish session: TransferSession, at index: Int) async {
            print("row \(index) is done")
        }
    }

    @Test func `what the article shows works while the broker is away`() async throws {
        let directory = try TemporaryDirectory()
        let manager = try await BrokerUploadManager(
            UploadIdentifier("app"), broker: BrokerAccess("amqp://127.0.0.1:\(try Ports.free())/"),
            staging: directory.url.appending(path: "staging"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let queue = try await TransferQueue(QueueName("holiday"), manager: manager)
        let (before, stream) = await queue.follow()
        var rows = before
        let archive = try TransferAccount("archive")
        let film = TransferFile(.data(Data("a film".utf8)), to: "2026/film.mp4")
        let cover = TransferFile(.data(Data("a cover".utf8)), to: "2026/cover.jpg")
        let session = try await queue.enqueue([film, cover], to: archive)
        let first = try await queue.enqueue([cover], to: archive, at: .front)
        let third = try await queue.enqueue([cover], to: archive, at: .index(2))
        let later = try await queue.save([film], to: archive)
        try await queue.enqueue(later.id)
        let downloads = [
            try TransferDownload("2026/film.mp4", to: "file:///srv/in/film.mp4"),
            try TransferDownload("2026/cover.jpg", to: "photos:cover.jpg"),
        ]
        let fetched = try await queue.enqueue(downloads, from: archive)
        let album = try await queue.enqueue([cover], to: archive, staysOpen: true)
        try await queue.add([film], to: album.id)
        try await queue.finish(album.id)
        await queue.setDelegate(Teller())
        #expect(await queue.sessions.map(\.id) == [first.id, session.id, third.id, later.id, fetched.id, album.id])
        #expect(await queue.sessions.last?.files.count == 2)
        try await queue.start()
        await queue.close()
        var events: [TransferQueueEvent] = []
        for await event in stream { events.append(event) }
        for event in [TransferQueueEvent](events) { event.apply(to: &rows) }
        #expect(rows.map(\.id) == [first.id, session.id, third.id, later.id, fetched.id, album.id])
        await manager.close()
    }

    /// For programs that are only woken briefly.
    func runBriefly(_ queue: TransferQueue) async throws -> Int {
        let left = try await queue.run(for: .seconds(25))
        return left.count
    }
}

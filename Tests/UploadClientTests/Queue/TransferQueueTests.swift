import Foundation
import Logging
import Testing
import UploadClient
import UploadTesting
import Uploads

@testable import UploadClientTesting

/// A transfer queue whose broker is away: it keeps all orders.
@Suite("A transfer queue on disk", .timeLimit(.minutes(10))) struct TransferQueueTests {
    /// Records the delegate's calls.
    private struct Teller: TransferQueueDelegate {
        let told = Box<[String]>([])

        func transferQueue(_ queue: TransferQueue, didAdd session: TransferSession, at index: Int) async {
            told.change { $0.append("added \(index)") }
        }

        func transferQueue(_ queue: TransferQueue, didRemove session: TransferSession, at index: Int) async {
            told.change { $0.append("removed \(index)") }
        }

        func transferQueue(_ queue: TransferQueue, didCancel session: TransferSession, at index: Int) async {
            told.change { $0.append("cancelled \(index)") }
        }
    }

    @discardableResult
    private func with<Value>(
        _ directory: TemporaryDirectory, _ body: (TransferQueue, BrokerUploadManager) async throws -> Value
    ) async throws -> Value {
        let manager = try await BrokerUploadManager(
            UploadIdentifier("app"), broker: BrokerAccess("amqp://127.0.0.1:\(try Ports.free())/"),
            staging: directory.url.appending(path: "staging"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do {
            let queue = try await TransferQueue(QueueName("holiday"), manager: manager)
            do {
                let value = try await body(queue, manager)
                await queue.close()
                await manager.close()
                return value
            } catch {
                await queue.close()
                throw error
            }
        } catch {
            await manager.close()
            throw error
        }
    }

    private func session(_ queue: TransferQueue, _ name: String, at place: TransferPlace = .end) async throws -> UUID {
        let file = TransferFile(.data(Data(name.utf8)), to: name)
        return try await queue.enqueue([file], to: TransferAccount("archive"), at: place).id
    }

    @Test func `another object of the same name finds all sessions and accounts again, in order`() async throws {
        let directory = try TemporaryDirectory()
        var ids: [UUID] = []
        var saved: UUID?
        try await with(directory) { queue, _ in
            let original = directory.url.appending(path: "original.jpg")
            try Data(repeating: 1, count: 100_000).write(to: original)
            let a = try await queue.enqueue(
                [TransferFile(.url(original), to: "a.jpg"), TransferFile(.data(Data()), to: "b")],
                to: TransferAccount("archive")
            ).id
            try FileManager.default.removeItem(at: original)
            let b = try await session(queue, "b"), c = try await session(queue, "c", at: .front)
            let d = try await session(queue, "d", at: .index(1))
            saved = try await queue.save([TransferFile(.data(Data()), to: "e")], to: TransferAccount("other")).id
            ids = [c, d, a, b]
            try await queue.pause(b)
            try await queue.start()
        }
        try await with(directory) { queue, _ in
            let sessions = await queue.sessions
            #expect(sessions.map(\.id) == ids)
            #expect(sessions[2].files.map(\.path) == ["a.jpg", "b"])
            #expect(sessions[2].files.map(\.size) == [100_000, 0])
            #expect(sessions[2].files[0].contentType == "image/jpeg")
            #expect(sessions.map(\.isPaused) == [false, false, false, true])
            #expect(await queue.isStarted)
            #expect(await queue.savedSessions.map(\.id) == [saved])
            #expect(await queue.accounts.map(\.description) == ["archive", "other"])
        }
    }

    @Test func `copies that no session names go when the queue is opened, and those of sessions stay`() async throws {
        let directory = try TemporaryDirectory()
        try await with(directory) { queue, _ in
            let original = directory.url.appending(path: "original.jpg")
            try Data(repeating: 1, count: 100_000).write(to: original)
            _ = try await queue.enqueue([TransferFile(.url(original), to: "a.jpg")], to: TransferAccount("archive"))
            _ = try await queue.save([TransferFile(.url(original), to: "b.jpg")], to: TransferAccount("archive"))
        }
        let content = "staging/clients/app/queues/holiday/content"
        let needed = try Set(directory.names(in: content))
        #expect(needed.count == 3, "the area's id and two copies: \(needed)")
        let (whole, half) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        for name in [whole, "\(whole).blocks", ".\(half).partial", "\(half).blocks"] {
            try directory.write([1, 2, 3], to: "\(content)/\(name)")
        }
        try await with(directory) { queue, _ in
            #expect(await queue.sessions.count == 1)
            let left = try directory.names(in: content)
            #expect(Set(left) == needed)
        }
    }

    @Test func `downloads and sessions that stay open are found again, with what was added`() async throws {
        let directory = try TemporaryDirectory()
        let (a, b) = try await with(directory) { queue, _ in
            let archive = try TransferAccount("archive")
            let a = try await queue.enqueue(
                [TransferFile(.data(Data("1".utf8)), to: "1")], to: archive, staysOpen: true)
            let original = directory.url.appending(path: "2.txt")
            try Data("two".utf8).write(to: original)
            try await queue.add([TransferFile(.url(original), to: "2")], to: a.id)
            try FileManager.default.removeItem(at: original)
            let b = try await queue.enqueue(
                [TransferDownload("film.mp4", to: "file:///srv/in/film.mp4")], from: archive, at: .front)
            let refused = await #expect(throws: UploadError.self) {
                try await queue.add([TransferFile(.data(Data()), to: "3")], to: b.id)
            }
            #expect(refused?.code == .rejected)
            let unknown = await #expect(throws: UploadError.self) {
                try await queue.add([TransferFile(.data(Data()), to: "3")], to: UUID())
            }
            #expect(unknown?.message.contains("is not known") == true)
            return (a.id, b.id)
        }
        try await with(directory) { queue, _ in
            let sessions = await queue.sessions
            #expect(sessions.map(\.id) == [b, a])
            #expect(sessions.map(\.direction) == [.download, .upload])
            #expect(sessions.map(\.staysOpen) == [false, true])
            #expect(sessions[1].files.map(\.path) == ["1", "2"] && sessions[1].bytesTotal == 4)
            #expect(sessions[1].files.map(\.contentType) == ["application/octet-stream", "text/plain"])
            #expect(sessions[0].files.map(\.size) == [nil] && sessions[0].fractionDone == 0)
            #expect(sessions[0].files[0].contentType == "video/mp4")
            try await queue.finish(a)
            await #expect(throws: UploadError.self) {
                try await queue.add([TransferFile(.data(Data()), to: "3")], to: a)
            }
        }
    }

    @Test func `a queue is open once at a time`() async throws {
        try await with(try TemporaryDirectory()) { queue, manager in
            let refused = await #expect(throws: UploadError.self) {
                try await TransferQueue(QueueName("holiday"), manager: manager)
            }
            #expect(refused?.code == .rejected)
            let other = try await TransferQueue(QueueName("work"), manager: manager)
            await other.close()
        }
    }

    @Test func `the copies of a session's files go with it`() async throws {
        let directory = try TemporaryDirectory()
        let content = directory.url.appending(path: "staging/clients/app/queues/holiday/content")
        func copies() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: content.path).filter { !$0.hasPrefix(".") }.count
        }
        try await with(directory) { queue, _ in
            let empty = try copies()
            let a = try await session(queue, "a")
            #expect(try copies() > empty)
            try await queue.cancel(a)
            // Kept, because it can be run again.
            #expect(try copies() > empty)
            try await queue.remove(a)
            #expect(try copies() == empty)
            let none = await #expect(throws: UploadError.self) {
                try await queue.save([], to: TransferAccount("archive"))
            }
            #expect(none?.code == .misconfigured)
            let missing = TransferFile(.file("/nowhere/at/all"), to: "x")
            await #expect(throws: UploadError.self) {
                try await queue.save(
                    [TransferFile(.data(Data("x".utf8)), to: "y"), missing], to: TransferAccount("archive"))
            }
            #expect(try copies() == empty)
        }
    }

    @Test func `a delegate is told in order, and leaves out what it does not want to hear`() async throws {
        let teller = Teller()
        try await with(try TemporaryDirectory()) { queue, _ in
            await queue.setDelegate(teller)
            let a = try await session(queue, "a")
            let b = try await session(queue, "b", at: .front)
            try await queue.pause(b)
            try await queue.cancel(a)
            try await queue.remove(b)
            try await eventually("all is told") { teller.told.value.count == 4 }
            #expect(teller.told.value == ["added 0", "added 0", "cancelled 1", "removed 0"])
        }
    }

    @Test func `settling within a time limit fails while a job waits for the broker`() async throws {
        let directory = try TemporaryDirectory()
        let outbox = directory.url.appending(path: "staging/outbox").path
        try await with(directory) { queue, _ in
            // No order is pending yet.
            try await queue.settle()
            try await queue.start()
            _ = try await session(queue, "a")
            try await eventually("its job is in the outbox") {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox)) ?? []
                return names.contains { $0.hasSuffix(".json") }
            }
            try await queue.stop()
            let refused = await #expect(throws: UploadError.self) { try await queue.settle(within: .milliseconds(200)) }
            #expect(refused?.code == .networkFailure)
        }
    }
}

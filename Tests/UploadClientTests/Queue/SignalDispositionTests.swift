import Foundation
import Glibc
import Logging
import Testing
import UploadClient
import UploadTesting
import Uploads

@Suite("A transfer queue's manners", .serialized, .timeLimit(.minutes(10))) struct SignalDispositionTests {
    /// The action of each signal in this process, as the system reports it. Other tests of the process use an HTTP
    /// library that ignores SIGPIPE.
    private func dispositions() -> [Int32: [UInt8]] {
        var all: [Int32: [UInt8]] = [:]
        for number in 1..<Int32(NSIG) where number != SIGPIPE {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { continue }
            all[number] = withUnsafeBytes(of: action.__sigaction_handler) { Array($0) }
        }
        return all
    }

    @Test func `opening and closing a queue leaves the process's signals as they were`() async throws {
        let directory = try TemporaryDirectory()
        let before = dispositions()
        #expect(before.count > 30)
        let manager = try await BrokerUploadManager(
            UploadIdentifier("app"), broker: BrokerAccess("amqp://127.0.0.1:\(try Ports.free())/"),
            staging: directory.url.appending(path: "staging"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let queue = try await TransferQueue(QueueName("holiday"), manager: manager)
        _ = try await queue.enqueue(
            [TransferFile(.data(Data("a".utf8)), to: "a")], to: TransferAccount("archive"))
        try await queue.start()
        #expect(dispositions() == before)
        await queue.close()
        await manager.close()
        #expect(dispositions() == before)
    }
}

import Foundation
import Logging
import Synchronization
import Testing
import UploadDestinations
import UploadTesting
import Uploads

@testable import UploadWorkers

/// A worker that stops after a server has answered with the status, and before it has sent all of its answer.
@Suite(.timeLimit(.minutes(10))) struct LastAnswerTests {
    enum End: CaseIterable { case graceUsedUp, cancelled }

    @Test(arguments: End.allCases)
    func `a status that came before the worker stopped ends the job, and nothing is posted again`(end: End)
        async throws
    {
        let isRead = Atomic<Bool>(false)
        let requests = Atomic<Int>(0)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(10)
            requests.add(1, ordering: .relaxed)
            connection.write("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n")
            connection.waitUntilRead()
            isRead.store(true, ordering: .relaxed)
            connection.waitForHangUp()
        }
        var configuration = HTTPConfiguration()
        configuration.method = .post
        let (log, clock) = (MemoryLog(), ManualClock())
        let queue = MemoryJobQueue(redelivers: false, log: log)
        let worker = UploadWorker(
            queue: queue, destinations: OneDestination(destination: HTTPDestination(configuration)),
            sources: MemorySources(log: log), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: clock)
        let job = UploadJob(
            source: .staged(area: "a", name: "n"), destination: .url("http://127.0.0.1:\(server.port)/x"), size: 10)
        queue.add(Baton(job: job))
        let run = Task { try await worker.run() }
        try await eventually { isRead.load(ordering: .relaxed) }
        switch end {
        case .graceUsedUp:
            let drain = Task { await worker.drain() }
            try await eventually { clock.isAwaited(at: .seconds(20)) }
            clock.advance(by: .seconds(20))
            await drain.value
        case .cancelled: run.cancel()
        }
        try await eventually { log.counts.settled.count == 1 }
        guard case .ended(.completed)? = log.settlements(of: job.id).first else {
            Issue.record("\(log.settlements(of: job.id))")
            return
        }
        #expect(requests.load(ordering: .relaxed) == 1)
        run.cancel()
        _ = await run.result
    }
}

private struct OneDestination: DestinationProvider {
    let destination: any Destination

    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? { destination }
}

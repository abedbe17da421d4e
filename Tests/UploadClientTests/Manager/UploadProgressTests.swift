import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadClient

@Suite(.timeLimit(.minutes(10)))
struct UploadProgressTests {
    private func progress() -> UploadProgress {
        let job = UploadJob(
            source: .inline(Data()), destination: .named(DestinationName(unchecked: "archive"), key: "a"), size: 100)
        return UploadProgress(UploadUpdate(job), round: 1) { _ in }
    }

    /// Reporting an update and cancelling a listener each take both locks, in opposite orders.
    @Test func `Listeners may be cancelled while an update is told`() async throws {
        try await limited("listeners are cancelled while they are told") {
            for _ in 0..<200 {
                let progress = progress()
                let listening = (0..<8).map { _ in
                    Task {
                        await withTaskCancellationHandler {
                            for await _ in progress.subscribe() {}
                        } onCancel: {
                            // Like an app that logs the uploads that it gives up.
                            _ = progress.latest
                        }
                    }
                }
                await Task.yield()
                Thread.detachNewThread {
                    progress.change { $0.status = .running }
                    progress.change { $0.status = .cancelled }
                }
                // On a thread of its own, because the time limit needs the tasks' threads if these hang.
                Thread.detachNewThread { for task in listening { task.cancel() } }
                for task in listening { await task.value }
            }
        }
    }
}

import Uploads

/// Tells what a test says, while somebody listens.
final class ScriptedFeed: ProgressFeed {
    private let reports: AsyncStream<WorkerNews>
    private let input: AsyncStream<WorkerNews>.Continuation

    init() { (reports, input) = AsyncStream.makeStream() }

    func tell(_ news: WorkerNews) { input.yield(news) }

    func follow(_ take: @escaping @Sendable (WorkerNews) -> Void) async {
        for await news in reports { take(news) }
    }
}

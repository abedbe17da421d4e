import Uploads

/// A progress feed that delivers the test's news while the notifier follows it.
final class ScriptedFeed: ProgressFeed {
    private let reports: AsyncStream<WorkerNews>
    private let input: AsyncStream<WorkerNews>.Continuation

    init() { (reports, input) = AsyncStream.makeStream() }

    func tell(_ news: WorkerNews) { input.yield(news) }

    func follow(_ take: @escaping @Sendable (WorkerNews) -> Void) async {
        for await news in reports { take(news) }
    }
}

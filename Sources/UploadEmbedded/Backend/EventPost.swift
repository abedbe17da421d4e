import Uploads

/// Passes events to the sink one after the other, in the order in which they were posted: an end never overtakes an
/// earlier event.
struct EventPost: Sendable {
    private enum Letter: Sendable {
        case news(UploadEvent)
        case end(UploadEvent, CheckedContinuation<Bool, Never>)
        case mark(CheckedContinuation<Void, Never>)
    }

    private let sink: @Sendable (UploadEvent) async -> Bool
    private let letters: AsyncStream<Letter>
    private let box: AsyncStream<Letter>.Continuation

    init(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) {
        self.sink = sink
        (letters, box) = AsyncStream.makeStream()
    }

    func tell(_ event: UploadEvent) { box.yield(.news(event)) }

    /// - Returns: whether the event is recorded.
    func note(_ event: UploadEvent) async -> Bool {
        await withCheckedContinuation { noted in
            if case .enqueued = box.yield(.end(event, noted)) { return }
            noted.resume(returning: false)
        }
    }

    /// Returns when all events that were posted before have gone through the sink.
    func flush() async {
        await withCheckedContinuation { reached in
            if case .enqueued = box.yield(.mark(reached)) { return }
            reached.resume()
        }
    }

    /// Returns when the post is finished and all events have gone through the sink.
    func run() async {
        for await letter in letters {
            switch letter {
            case .news(let event): _ = await sink(event)
            case .end(let event, let noted): noted.resume(returning: await sink(event))
            case .mark(let reached): reached.resume()
            }
        }
    }

    func finish() { box.finish() }
}

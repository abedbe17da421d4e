import Uploads
import UploadsRabbitMQ

/// Waits for the outcomes of what was enqueued.
struct Waiting: Sendable {
    let display: WaitDisplay
    let interruption: Interruption
    /// The id of the job of an upload.
    let id: @Sendable (PlannedUpload) -> JobID

    /// Reads events from now on. Ends when they end.
    func listen(to watch: OutcomeWatch) -> Task<Void, any Error> {
        Task { [display] in
            for try await event in watch { display.apply(event) }
        }
    }

    /// Waits until everything has ended, somebody interrupts, or the events are lost.
    func finish(_ listening: Task<Void, any Error>) async throws -> ExitCode {
        let problem: String? = try await interruption.cancelling { [display] in
            await withTaskGroup(of: String?.self) { group in
                group.addTask {
                    do {
                        try await listening.value
                        return "the broker sends no more outcomes"
                    } catch {
                        return (error as? UploadError)?.message ?? "the outcomes cannot be read any more"
                    }
                }
                group.addTask {
                    while !display.awaited({ $0.isDone }), (try? await Task.sleep(for: WaitDisplay.interval)) != nil {}
                    return nil
                }
                let drawing = Task { await display.keepDrawing() }
                defer { drawing.cancel() }
                let problem = await group.next() ?? nil
                listening.cancel()
                group.cancelAll()
                return problem
            }
        }
        display.clear()
        let awaited = display.awaited { $0 }
        let open = awaited.count - awaited.endedCount
        if open == 0 {
            display.say(display.summary)
            return awaited.failedCount == 0 ? .done : .uploadFailed
        }
        display.tellUnended(id: id)
        let are = open == 1 ? "1 upload goes" : "\(open) uploads go"
        if interruption.wasInterrupted {
            display.say(
                "enqueue-upload: stopped waiting; \(awaited.endedCount) of \(awaited.count) ended, \(are) on")
            return .interrupted
        }
        display.say(
            "enqueue-upload: \(problem ?? "the outcomes were lost"); \(are) on, and how they end is not known here")
        return .unavailable
    }
}

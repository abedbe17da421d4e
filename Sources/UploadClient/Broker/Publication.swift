package import Uploads

/// Publishes jobs with many confirms in flight.
package struct Publication: Sendable {
    /// What became of a job. Without an error it takes 8 bytes, for there is one of each job.
    package enum Fate: Sendable {
        case confirmed
        /// No confirm came, and repeating did not help: it may have arrived.
        indirect case unknown(UploadError)
        /// It cannot be published as it is, and has not arrived.
        indirect case refused(UploadError)
        /// Nothing was sent.
        case untried
        /// The broker is away; it is in the outbox.
        case kept
    }

    /// Confirms that are awaited at once.
    package static let windowMaximum = 256
    /// Tries of a job that was not confirmed, with pauses of up to 2 s between them.
    package static let triesMaximum = 12
    /// Confirms that are awaited at once: 1 where each must be there before the next.
    let window: Int
    /// How long one job is tried: a broker that is blocked may stay so for hours.
    let patience: Duration
    /// Publishes one job; `isRepeat` when an earlier try may have arrived. The broker may take as long as `limit` says.
    let submit: Submit
    let pause: @Sendable (Duration) async -> Void

    package typealias Submit =
        @Sendable (
            _ job: UploadJob, _ isRepeat: Bool, _ limit: Duration
        ) async throws(UploadError) -> Void

    package init(
        window: Int = Self.windowMaximum, patience: Duration = .seconds(20), submit: @escaping Submit,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.window = window
        self.patience = patience
        self.submit = submit
        self.pause = pause
    }

    /// Publishes as many as it can; after the first that cannot be, no more are begun. One that the broker refuses for itself (it is
    /// too large, say) ends this only where each must be there before the next.
    /// - Parameters:
    ///   - load: makes the message of the job at an index.
    ///   - shouldStop: asked before each job is begun.
    ///   - confirmed: told each index that is confirmed, in order, as soon as all before it have ended as well.
    package func publish(
        count: Int, load: @escaping @Sendable (Int) throws(UploadError) -> UploadJob,
        shouldStop: @Sendable () -> Bool, confirmed: (Int) -> Void
    ) async -> [Fate] {
        var fates = Array(repeating: Fate.untried, count: count)
        var told = 0
        await withTaskGroup(of: (Int, Fate).self) { group in
            var next = 0
            var isStopped = false
            var inFlight: Set<Int> = []
            func fill(_ more: Int) {
                for _ in 0..<more where next < count && !isStopped {
                    isStopped = shouldStop()
                    if isStopped { return }
                    let index = next
                    next += 1
                    inFlight.insert(index)
                    group.addTask { (index, await self.fate { () throws(UploadError) in try load(index) }) }
                }
            }
            fill(window)
            while let (index, fate) = await group.next() {
                fates[index] = fate
                inFlight.remove(index)
                if !letsOthersBegin(fate) { isStopped = true }
                // Beyond one that failed, what was in flight may have been confirmed: it counts, and is told.
                while told < next, !inFlight.contains(told) {
                    if case .confirmed = fates[told] { confirmed(told) }
                    told += 1
                }
                fill(1)
            }
        }
        return fates
    }

    private func letsOthersBegin(_ fate: Fate) -> Bool {
        switch fate {
        case .confirmed: true
        case .refused(let error): error.code == .rejected && window > 1
        case .unknown, .untried, .kept: false
        }
    }

    private func fate(_ load: () throws(UploadError) -> UploadJob) async -> Fate {
        let job: UploadJob
        do throws(UploadError) { job = try load() } catch { return .refused(error) }
        var mayHaveArrived = false
        let end = ContinuousClock.now + patience
        var left = patience
        for attempt in 1... {
            do throws(UploadError) {
                try await submit(job, mayHaveArrived, left)
                return .confirmed
            } catch {
                guard error.mayPass else {
                    // A refusal says nothing of the tries before it; and who stops waiting knows nothing either.
                    return mayHaveArrived || error.code == .interrupted ? .unknown(error) : .refused(error)
                }
                mayHaveArrived = true
                if attempt == Self.triesMaximum { return .unknown(error) }
                await pause(min(end - .now, .seconds(2), .milliseconds(100) * (1 << min(attempt, 5))))
                left = end - .now
                if left <= .zero { return .unknown(error) }
            }
        }
        return .untried
    }
}

extension UploadError {
    /// Whether publishing again may help. A connection that was lost; and a broker that did not take a message, as while a
    /// queue has no leader: of the two queues that every job goes to, one may have it.
    package var mayPass: Bool { code == .networkFailure || (code == .serverFailure && retry != .never) }
}

package import Uploads

/// Publishes jobs with many confirms in flight.
package struct Publication: Sendable {
    /// The result for one job. Without an error it takes 8 bytes, because there is one for each job.
    package enum Fate: Sendable {
        case confirmed
        /// It was confirmed, and then its bytes could not be made complete: the job fails.
        indirect case incomplete(UploadError)
        /// No confirm came, and repeating did not help: the job may have arrived.
        indirect case unknown(UploadError)
        /// The job cannot be published as it is, and has not arrived.
        indirect case refused(UploadError)
        /// Nothing was sent.
        case untried
        /// The broker is away; the job is in the outbox.
        case kept
    }

    /// How many confirms are awaited at once, at most.
    package static let windowMaximum = 256
    /// How often a job without a confirm is tried, with pauses of up to 2 s.
    package static let triesMaximum = 12
    /// How many confirms are awaited at once: 1 if each job must arrive before the next.
    let window: Int
    /// How long one job is tried: a blocked broker may stay blocked for hours.
    let patience: Duration
    /// Publishes one job; `isRepeat` when an earlier try may have arrived. `limit` is the time that the broker may
    /// take.
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

    /// Publishes as many jobs as it can; after the first failure no further job is begun. A job that the broker refuses
    /// for itself (it is too large, say) ends this only if each job must arrive before the next.
    /// - Parameters:
    ///   - load: makes the message of the job at an index. `interrupted` leaves the job untried.
    ///   - complete: called with each index once its job is confirmed: makes sure that all of its bytes are durable.
    ///   - shouldStop: asked before each job is begun.
    ///   - confirmed: called with each confirmed index, in order, as soon as all earlier jobs have ended as well.
    package func publish(
        count: Int, load: @escaping @Sendable (Int) async throws(UploadError) -> UploadJob,
        complete: @escaping @Sendable (Int) async throws(UploadError) -> Void = { _ in },
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
                    group.addTask {
                        let fate = await self.fate { () async throws(UploadError) in try await load(index) }
                        return (index, await fate.once { () async throws(UploadError) in try await complete(index) })
                    }
                }
            }
            fill(window)
            while let (index, fate) = await group.next() {
                fates[index] = fate
                inFlight.remove(index)
                if !letsOthersBegin(fate) { isStopped = true }
                // Jobs behind a failed one that were in flight may have been confirmed: they count, and are reported.
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
        case .incomplete, .unknown, .untried, .kept: false
        }
    }

    private func fate(_ load: () async throws(UploadError) -> UploadJob) async -> Fate {
        let job: UploadJob
        do throws(UploadError) {
            job = try await load()
        } catch {
            return error.code == .interrupted ? .untried : .refused(error)
        }
        var mayHaveArrived = false
        let end = ContinuousClock.now + patience
        var left = patience
        for attempt in 1... {
            do throws(UploadError) {
                try await submit(job, mayHaveArrived, left)
                return .confirmed
            } catch {
                guard error.mayPass else {
                    // A refusal says nothing about earlier tries; and an interrupted wait leaves the result open.
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

extension Publication.Fate {
    /// The fate of a confirmed job after its bytes were made complete.
    fileprivate func once(_ complete: () async throws(UploadError) -> Void) async -> Self {
        guard case .confirmed = self else { return self }
        do throws(UploadError) { try await complete() } catch { return .incomplete(error) }
        return self
    }
}

extension UploadError {
    /// Whether publishing again may help: after a lost connection, or when a broker did not take a message, for example
    /// because a queue has no leader. Every job goes to two queues, and one of them may have it.
    package var mayPass: Bool { code == .networkFailure || (code == .serverFailure && retry != .never) }
}

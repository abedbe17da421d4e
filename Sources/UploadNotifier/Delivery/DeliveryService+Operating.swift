public import Foundation
import Logging
import Synchronization
public import Uploads

/// The operations of operators on delegates. Each is durable before it returns, and takes effect at once.
extension DeliveryService {
    /// The delegates that are served, by name.
    public var names: [String] { known.withLock { $0.keys.sorted() } }

    /// Delivers nothing to a delegate until ``resume(_:)``, also after restarts. Deliveries under way are finished.
    /// - Throws: `rejected` for a name that no delegate has.
    public func pause(_ name: String, by operatorName: String) async throws(UploadError) {
        _ = try delegate(name)
        try await outbox.pause(name, reason: "paused by \(operatorName)", at: clock.now(), held: true)
        loops.withLock { $0[name] }?.pause()
        logger.notice("delegate is paused", metadata: [LogKey.delegate: "\(name)", LogKey.by: "\(operatorName)"])
    }

    /// Serves a paused delegate again, also one that an operator paused; its waiting deliveries are due at once.
    /// - Throws: `rejected` for a name that no delegate has.
    public func resume(_ name: String) async throws(UploadError) {
        _ = try delegate(name)
        try await outbox.resume(name, at: clock.now())
        logger.notice("delegate is served again", metadata: [LogKey.delegate: "\(name)"])
        guard let loop = loops.withLock({ $0[name] }) else { return }
        DeliveryLoop.show(isPaused: false, name)
        loop.wake()
    }

    /// Makes deliveries once more, under the same ids, at once unless the delegate is paused.
    /// - Returns: the number of deliveries.
    public func replay(
        _ replay: DeliveryReplay, in history: any DeliveryHistory
    ) async throws(UploadError) -> Int {
        let count = try await history.replay(replay, at: clock.now())
        logger.notice("deliveries are made once more", metadata: [LogKey.count: "\(count)"])
        wake()
        return count
    }

    /// Delivers the outcomes of jobs that ended before the delegate existed, at once unless it is paused.
    /// - Returns: the number of deliveries.
    public func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, in history: any DeliveryHistory
    ) async throws(UploadError) -> Int {
        let count = try await history.deliverPast(route, from: from, to: to, at: clock.now())
        if count > 0 {
            logger.notice(
                "earlier outcomes are delivered too",
                metadata: [LogKey.delegate: "\(route.delegate)", LogKey.count: "\(count)"])
            wake()
        }
        return count
    }

    /// Delivers an invented outcome without the outbox, also to a paused delegate: its id begins with `test.`, and its job's batch
    /// and metadata mark it as a test.
    /// - Returns: the result of the attempt, or its error.
    /// - Throws: `rejected` for a name that no delegate has.
    public func test(_ name: String) async throws(UploadError) -> DeliveryAttempt {
        let delegate = try delegate(name).delegate
        let start = clock.now()
        var answer: ServerResponse?
        var failure: UploadError?
        do { answer = try await delegate.deliver(.test(at: start)) } catch { failure = error }
        return DeliveryAttempt(
            at: start, seconds: max(0, clock.now().timeIntervalSince(start)), answer: answer, error: failure)
    }

    private func delegate(_ name: String) throws(UploadError) -> RegisteredDelegate {
        guard let delegate = known.withLock({ $0[name] }) else {
            let known = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
            throw UploadError(.rejected, "no delegate is named '\(name)'; \(known)")
        }
        return delegate
    }
}

extension UploadEvent {
    /// An outcome of an invented job.
    static func test(at time: Date) -> UploadEvent {
        var job = UploadJob(
            source: .inline(Data()), destination: .url("https://test.invalid/test"), size: 0,
            metadata: ["test": "true"], enqueuedAt: time)
        job.batch = "test"
        var event = UploadEvent(kind: .completed, of: Baton(job: job), at: time).asOutcome
        event.id = "test.\(event.id)"
        event.data.endedAt = time
        return event
    }
}

import Logging
import Synchronization
import Uploads

/// The shards that a notifier works for, beside other notifiers with its ledger.
extension NotifierService {
    /// Whether this notifier does what exists once for the namespace: sweeps, snapshots.
    var isFirst: Bool { ledger.kept(of: bus.shards).contains(0) }

    /// Whether other notifiers have all shards.
    public var standsBy: Bool { ledger.kept(of: bus.shards).isEmpty }

    /// Delivers to the delegates whose names are in this notifier's shards, so that of several notifiers one delivers to a delegate.
    func serveOwn() {
        // Under the lock, so that of two calls the later one does not serve the delegates or shards of before.
        shards.withLock { own in
            deliveries.serve(delegates.withLock(\.self)) { own.contains(bus.shards.shard(ofName: $0.name)) }
        }
    }

    /// Turns to other shards. Nothing about those that are given up is under way then, apart from deliveries that take longer than a while.
    func turn(to new: Set<Int>) async {
        let isOther = shards.withLock { shards in
            defer { shards = new }
            return shards != new
        }
        // What could not be recorded comes to the notifier that has the shard now.
        if isOther { trouble.withLock { $0.batch = nil } }
        metrics.turn(to: new)
        serveOwn()
        await deliveries.waitForRetired(atMost: configuration.stopGrace)
        await ledger.giveSurplus()
    }

    /// Repeats a step after the delegates were read anew, if another notifier has changed them.
    func knowingDelegates<Value>(
        _ step: () async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        while true {
            do throws(UploadError) {
                return try await step()
            } catch {
                guard error.cause is DelegatesChanged, !Task.isCancelled,
                    let read = delegatesHandler.withLock(\.self)
                else { throw error }
                try await read()
            }
        }
    }

    /// Notices what other notifiers with this ledger have done that concerns the delegates of this one, until the task is cancelled.
    func followOthers() async {
        var last: Int64?
        var connectedAt = ContinuousClock.now
        while !Task.isCancelled {
            // By the time of all notifiers, not by this one's clock.
            do { try await Task.sleep(for: configuration.newsInterval) } catch { return }
            let now = ContinuousClock.now
            if bus.isConnected { connectedAt = now }
            await ledger.share(now - connectedAt < configuration.brokerPatience)
            guard ledger.isShared else { continue }
            do throws(UploadError) {
                let news = try await ledger.news()
                if news.hasOtherDelegates { try await delegatesHandler.withLock(\.self)?() }
                if news.hasOtherDelegates || news.lastDelivery != last { deliveries.wake() }
                last = news.lastDelivery
            } catch {
                logger.debug(
                    "what other notifiers have done is not known; it is looked at again",
                    metadata: [LogKey.error: "\(error)"])
            }
        }
    }
}

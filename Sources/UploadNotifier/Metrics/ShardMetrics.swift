import Metrics
import Synchronization
import Uploads

/// The metrics of the shards that this notifier works for.
public final class ShardMetrics: Sendable {
    private struct State {
        /// Only held shards have one.
        var lags: [Int: ShardLag] = [:]
        var shown: Set<Int> = []
    }

    private let state = Mutex(State())
    private let clock: NotifierClock

    public init(clock: NotifierClock = .system) { self.clock = clock }

    /// Works for these shards, and for no others, from now on.
    func turn(to shards: Set<Int>) {
        state.withLock { state in
            state.lags = state.lags.filter { shards.contains($0.key) }
            for shard in shards where state.lags[shard] == nil { state.lags[shard] = ShardLag() }
        }
    }

    /// Takes messages that are to be recorded.
    func take(_ batch: [NotifierMessage], _ shards: Shards) {
        state.withLock { state in
            for case let message? in batch.lazy.map(\.made) {
                state.lags[shards.shard(of: message.job)]?.take(madeAt: message.at)
            }
        }
    }

    /// Counts messages that are recorded.
    func record(_ batch: [NotifierMessage], _ shards: Shards) {
        let counts = batch.reduce(into: [Int: Int]()) { counts, message in
            if let job = message.made?.job { counts[shards.shard(of: job), default: 0] += 1 }
        }
        let now = clock.now()
        state.withLock { state in
            for shard in counts.keys { state.lags[shard]?.record(now: now) }
        }
        for (shard, count) in counts {
            Counter(label: "upload_notifier_recorded_total", dimensions: [("shard", "\(shard)")]).increment(by: count)
        }
    }

    /// The lag of each held shard, in seconds.
    var lags: [Int: Double] {
        let now = clock.now()
        return state.withLock { $0.lags.mapValues { $0.seconds(now: now) } }
    }

    /// Updates the gauges. Call it before the metrics are read.
    public func show() {
        let lags = lags
        let gone = state.withLock { state in
            defer { state.shown = Set(lags.keys) }
            return state.shown.subtracting(lags.keys)
        }
        for (shard, seconds) in lags { Self.gauge(shard).record(seconds) }
        for shard in gone { Self.gauge(shard).destroy() }
    }

    private static func gauge(_ shard: Int) -> Gauge {
        Gauge(label: "upload_notifier_shard_lag_seconds", dimensions: [("shard", "\(shard)")])
    }
}

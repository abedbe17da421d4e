import Foundation

/// The transfer rate over the last ten seconds.
struct RateMeter {
    /// Seconds.
    static let window: TimeInterval = 10

    private var samples: [(time: TimeInterval, bytes: Int64)] = []

    /// - Parameters:
    ///   - time: seconds on any clock that does not jump.
    ///   - bytes: the total transferred so far.
    mutating func note(_ bytes: Int64, at time: TimeInterval) {
        samples.append((time, bytes))
        // One sample from before the window stays, so that the rate always has a sample to start from.
        while samples.count > 2, samples[1].time <= time - Self.window { samples.removeFirst() }
    }

    /// nil until two samples are at least 0.2 s apart.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= 0.2 else { return nil }
        return max(0, Double(last.bytes - first.bytes) / (last.time - first.time))
    }
}

import Foundation
import Logging

/// Decides which warnings and errors of the same kind with the same thing are told: the first one, each time their number has doubled, and
/// at the end how many there were. A webhook that is away would fill the log otherwise.
struct RepeatedTroubles {
    struct Trouble: Hashable {
        let level: Logger.Level
        let message: String
        /// What the trouble is with, such as a delegate; of an error also which job or event, so that none of these is left out.
        let things: [String: String]

        init(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
            self.level = level
            self.message = message
            let keys = level >= .error ? Self.keys.union(Self.jobKeys) : Self.keys
            things = metadata.filter { keys.contains($0.key) }.mapValues(\.description)
        }

        /// The metadata that name a thing.
        private static let keys: Set = [
            "delegate", "destination", "queue", "lane", "consumer", "exchange", "path", "file", "staging", "address",
            "name",
        ]
        private static let jobKeys: Set = ["job", "event", "letter", "message", "order", "id", "row"]
    }

    struct Series: Hashable {
        let since: Date
        fileprivate(set) var last: Date
        /// From 1.
        fileprivate(set) var count = 1
    }

    /// Seconds without a repetition after which a series has ended: 10 min.
    static let silence: TimeInterval = 600
    /// Further kinds are told each time.
    static let seriesMaximum = 1000

    private var series: [Trouble: Series] = [:]

    /// - Returns: the series so far if the trouble is to be told; nil if it is one of many.
    mutating func take(_ trouble: Trouble, at now: Date) -> Series? {
        guard var known = series[trouble], now.timeIntervalSince(known.last) < Self.silence else {
            let first = Series(since: now, last: now)
            if series[trouble] != nil || series.count < Self.seriesMaximum { series[trouble] = first }
            return first
        }
        known.count += 1
        known.last = now
        series[trouble] = known
        return known.count & (known.count - 1) == 0 ? known : nil
    }

    /// Forgets the series that have ended; all of them at the end of time, `.distantFuture`.
    /// - Returns: those of them whose number was not told.
    mutating func ended(by now: Date) -> [(trouble: Trouble, series: Series)] {
        let over = series.filter { now.timeIntervalSince($0.value.last) >= Self.silence }
        for trouble in over.keys { series[trouble] = nil }
        return over.filter { $0.value.count & ($0.value.count - 1) != 0 }.map { ($0.key, $0.value) }
            .sorted { $0.1.since < $1.1.since }
    }
}

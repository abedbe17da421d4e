package import Foundation

/// The time of a history in whole buckets, as numbers of minutes or hours since 1970: a ledger has sums of both.
package struct HistorySpan: Hashable, Sendable {
    /// Whether each bucket is of whole hours.
    package let countsHours: Bool
    /// Minutes or hours of a bucket.
    package let bucketLength: Int64
    /// Minutes or hours, whole buckets.
    package let range: Range<Int64>

    /// - Parameters:
    ///   - from: within the first bucket, which may be a later one: at most ``HistoryBucket/countMaximum`` are left.
    ///   - until: not within the last bucket any more.
    ///   - bucketSeconds: rounded down to minutes.
    package init(from: Date, until: Date, bucketSeconds: Int) {
        let seconds = max(60, min(bucketSeconds, 366 * 86_400) / 60 * 60)
        countsHours = seconds % 3600 == 0
        let unit = countsHours ? 3600 : 60
        bucketLength = Int64(seconds / unit)
        func bucket(_ time: Date, _ rule: FloatingPointRoundingRule) -> Int64 {
            let bounded = min(max(time.timeIntervalSince1970, 0), 1e12)
            return Int64((bounded / Double(seconds)).rounded(rule))
        }
        let end = bucket(until, .up)
        let start = max(min(bucket(from, .down), end), end - Int64(HistoryBucket.countMaximum))
        range = start * bucketLength..<end * bucketLength
    }

    /// The beginning of a bucket.
    /// - Parameter number: counts the buckets since 1970.
    package func start(of number: Int64) -> Date {
        Date(timeIntervalSince1970: Double(number) * Double(bucketLength) * (countsHours ? 3600 : 60))
    }
}

import Foundation

/// How far a history goes back from now, in parts that a chart can show.
enum HistoryPeriod: String, CaseIterable {
    case hour, day, week, month

    /// 1 minute, 10 minutes, 1 hour, 6 hours.
    var bucketSeconds: Int {
        switch self {
        case .hour: 60
        case .day: 600
        case .week: 3600
        case .month: 21_600
        }
    }

    /// 60, 144, 168, 120.
    var bucketCount: Int {
        switch self {
        case .hour: 3600 / bucketSeconds
        case .day: 86_400 / bucketSeconds
        case .week: 7 * 86_400 / bucketSeconds
        case .month: 30 * 86_400 / bucketSeconds
        }
    }

    /// The beginnings of all parts; the last one holds now.
    func starts(now: Date) -> [Date] {
        let length = Double(bucketSeconds)
        let last = (now.timeIntervalSince1970 / length).rounded(.down)
        return (0..<bucketCount).map { index in
            Date(timeIntervalSince1970: (last - Double(bucketCount - 1 - index)) * length)
        }
    }
}

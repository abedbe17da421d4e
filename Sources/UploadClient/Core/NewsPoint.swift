import Foundation
import Uploads

/// Orders two pieces of news about an upload by time, with the numbers of their baton: the notifier raises round and
/// generation, a hand-over or a wait raises the slice, and only the slice's worker reports its progress. Pure.
struct NewsPoint: Hashable, Sendable {
    var round: Int
    var generation: Int
    var slice: Int
    /// Whether a worker has begun the slice.
    var isStarted = false
    /// When the worker reported its progress, by its own clock.
    var progressAt: Date?

    init(_ event: UploadEvent) {
        let baton = event.data.baton
        round = baton.round
        generation = baton.generation
        slice = baton.slice
        isStarted = event.kind == .started || event.kind == .progress
        progressAt = event.kind == .progress ? event.time : nil
    }

    init(_ report: JobReport) {
        round = report.round
        generation = report.generation
        slice = report.slice
        isStarted = report.isSliceStarted || report.progressAt != nil
        progressAt = report.progressAt
    }
}

extension NewsPoint: Comparable {
    static func < (left: NewsPoint, right: NewsPoint) -> Bool { left.order < right.order }

    private var order: (Int, Int, Int, Int, Date) {
        (round, generation, slice, isStarted ? 1 : 0, progressAt ?? .distantPast)
    }
}

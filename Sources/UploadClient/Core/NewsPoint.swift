import Foundation
import Uploads

/// Which of two pieces of news about an upload is the later one, by the baton that they tell of: the notifier raises round and
/// generation, a hand-over or a wait the slice, and only its worker tells how far a slice has come. Pure.
struct NewsPoint: Hashable, Sendable {
    var round: Int
    var generation: Int
    var slice: Int
    /// Whether a worker has begun the slice.
    var isStarted = false
    /// When the worker told how far it is, by its own clock.
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

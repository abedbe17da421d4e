/// The pause before a failed operation is tried again. After a passing failure (a lost connection, a full queue) it is
/// seconds. After a refusal by the broker (a missing permission, a message that is too large), only an operator can
/// change that: the pause grows to minutes, and the refusal is logged once.
struct RepeatPause: Sendable {
    private let passing: ClosedRange<Duration>
    private let refused: ClosedRange<Duration>
    private var isRefused = false
    private var next: Duration?

    init(passing: ClosedRange<Duration>, refused: ClosedRange<Duration>) {
        self.passing = passing
        self.refused = refused
    }

    /// - Returns: the pause before the next try, and whether this refusal is the first in a row.
    mutating func failed(isRefused: Bool) -> (pause: Duration, isNews: Bool) {
        let isNews = isRefused && !self.isRefused
        if isRefused != self.isRefused { next = nil }
        self.isRefused = isRefused
        let range = isRefused ? refused : passing
        let pause = next ?? range.lowerBound
        next = min(pause * 2, range.upperBound)
        return (pause, isNews)
    }

    mutating func succeeded() {
        isRefused = false
        next = nil
    }
}

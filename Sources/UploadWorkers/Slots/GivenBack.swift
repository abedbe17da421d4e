import Foundation
import Uploads

/// When a job comes again that a worker gives back because of its destination's limit: a pure value for each destination. Times are of one
/// clock that never steps.
///
/// The jobs that were given back come again one after the other, about as fast as the destination takes them: then the limit is used up, and
/// few are given back twice.
struct GivenBack: Sendable {
    /// Seconds, after which it comes again at the latest: at first, and when it was given back often. A million of them ask a thousand times
    /// a second then.
    static let delayMaximum = (first: 60.0, later: 960.0)

    /// How many come again for each that the destination takes: they come by chance, and the limit is to be used up all the same.
    private static let supply = 1.5

    /// Seconds from the first gap, within which one is taken.
    private static let gapWindow: Int64 = 8

    private var random: SeededGenerator
    /// From one end to the next while jobs wait: as the limits say it at first, then as measured.
    private var secondsPerJob: Double?
    private var endedAt: Duration?
    /// How many come again, by the second.
    private var due: [Int64: Int] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Jobs that were given back and have not come again, of those that come within so many seconds.
    func count(at now: Duration, within seconds: Double = .infinity) -> Int {
        let second = now.components.seconds
        let last = Double(second) + seconds
        return due.reduce(0) { $1.key > second && Double($1.key) < last ? $0 + $1.value : $0 }
    }

    /// One of its slices has ended.
    /// - Parameter isCrowded: whether others wait for what it gives up. If not, and none comes again, what follows is a pause.
    mutating func end(at now: Duration, isCrowded: Bool) {
        defer { endedAt = isCrowded || count(at: now) > 0 ? now : nil }
        guard let endedAt, let known = secondsPerJob else { return }
        // Slices that share a limit end together: one interval alone says little.
        secondsPerJob = known + ((now - endedAt) / .seconds(1) - known) / 16
    }

    /// - Parameters:
    ///   - expected: seconds that the destination needs for a job, as far as its limits say.
    ///   - idleWaits: waits of the job before this one.
    /// - Returns: seconds.
    mutating func delay(expected: Double, idleWaits: Int = 0, at now: Duration) -> Double {
        let second = now.components.seconds
        due = due.filter { $0.key > second }
        let jobsPerSecond = Self.supply / max(0.001, secondsPerJob ?? expected)
        secondsPerJob = secondsPerJob ?? expected
        let most = min(Self.delayMaximum.first * pow(2, Double(min(max(0, idleWaits), 10))), Self.delayMaximum.later)
        let gaps = gaps(within: Int64(most), after: second, jobsPerSecond)
        let delay =
            gaps.randomElement(using: &random).map(Double.init) ?? most * .random(in: 0.75...1, using: &random)
        due[second + Int64(delay.rounded(.up)), default: 0] += 1
        return delay
    }

    /// The first seconds in which fewer come again than the destination takes, of which one is taken by chance: those that are given back in one
    /// moment are not to come in one. Too many that come before change nothing: they are given back again, behind this one.
    private func gaps(within most: Int64, after second: Int64, _ jobsPerSecond: Double) -> [Int64] {
        var gaps: [Int64] = []
        var credit = 0.0
        for delay in 1...max(1, most) {
            if let first = gaps.first, delay - first >= Self.gapWindow { break }
            credit = min(credit + jobsPerSecond, max(1, jobsPerSecond)) - Double(due[second + delay] ?? 0)
            if credit >= 1 { gaps.append(delay) }
            credit = max(0, credit)
        }
        return gaps
    }
}

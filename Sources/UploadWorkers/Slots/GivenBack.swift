import Foundation
import Uploads

/// Decides when a job that a worker gives back because of its destination's limit comes again: a pure value for each destination. Times
/// are of one clock that never steps.
///
/// The jobs that were given back come again one after the other, about as fast as the destination takes them: so the limit is used up,
/// and few jobs are given back twice.
struct GivenBack: Sendable {
    /// Seconds after which a job comes again at the latest: the first time, and after it was given back often. With the later delay, a
    /// million waiting jobs come about a thousand times a second.
    static let delayMaximum = (first: 60.0, later: 960.0)

    /// How many jobs come again for each job that the destination takes: they come at random times, and the limit is to be used up even so.
    private static let supply = 1.5

    /// Seconds from the first gap within which one gap is chosen.
    private static let gapWindow: Int64 = 8

    private var random: SeededGenerator
    /// Seconds from the end of one job to the next while jobs wait: computed from the limits at first, then measured.
    private var secondsPerJob: Double?
    private var endedAt: Duration?
    /// How many jobs come again, by the second.
    private var due: [Int64: Int] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Jobs that were given back and will come again within this many seconds.
    func count(at now: Duration, within seconds: Double = .infinity) -> Int {
        let second = now.components.seconds
        let last = Double(second) + seconds
        return due.reduce(0) { $1.key > second && Double($1.key) < last ? $0 + $1.value : $0 }
    }

    /// To be called when one of the destination's slices has ended.
    /// - Parameter isCrowded: whether other jobs wait for its place. If not, and no job comes again, a pause follows that is not measured.
    mutating func end(at now: Duration, isCrowded: Bool) {
        defer { endedAt = isCrowded || count(at: now) > 0 ? now : nil }
        guard let endedAt, let known = secondsPerJob else { return }
        // Slices that share a limit end together: one interval alone says little.
        secondsPerJob = known + ((now - endedAt) / .seconds(1) - known) / 16
    }

    /// - Parameters:
    ///   - expected: seconds that the destination needs for a job by its limits.
    ///   - idleWaits: waits of the job before this one.
    /// - Returns: seconds until the job comes again.
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

    /// The first seconds in which fewer jobs come again than the destination takes. The caller chooses one at random, since jobs that are
    /// given back in one moment should not come again in one moment. Too many jobs before a gap change nothing: they are given back again,
    /// behind this job.
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

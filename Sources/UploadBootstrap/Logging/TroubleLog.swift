import Dispatch
import Foundation
import Logging
import Synchronization

/// The repeated troubles of a program; tells the ends of series by itself.
final class TroubleLog: Sendable {
    /// Those whose programs may end before their series do.
    private static let all = Mutex<[TroubleLog]>([])

    /// Between two looks for series that have ended.
    private static let pause = DispatchTimeInterval.seconds(60)

    private let troubles = Mutex(RepeatedTroubles())
    // Dispatch sources are thread-safe; this one is made once and only cancelled.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
    private let tellEnd: @Sendable (RepeatedTroubles.Trouble, RepeatedTroubles.Series) -> Void

    /// - Parameter tellEnd: receives how many troubles of a kind there were.
    init(tellEnd: @escaping @Sendable (RepeatedTroubles.Trouble, RepeatedTroubles.Series) -> Void) {
        self.tellEnd = tellEnd
        timer.setEventHandler { [weak self] in self?.tellEnds(by: Date()) }
        timer.schedule(deadline: .now() + Self.pause, repeating: Self.pause, leeway: .seconds(5))
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Tells the ends of all series when the program ends.
    func endWithProgram() { Self.all.withLock { $0.append(self) } }

    /// To be called when the program ends.
    static func tellAllEnds() { for log in all.withLock({ $0 }) { log.tellEnds(by: .distantFuture) } }

    private func tellEnds(by now: Date) {
        for (trouble, series) in troubles.withLock({ $0.ended(by: now) }) { tellEnd(trouble, series) }
    }

    func take(_ trouble: RepeatedTroubles.Trouble, at now: Date) -> RepeatedTroubles.Series? {
        troubles.withLock { $0.take(trouble, at: now) }
    }
}

import Foundation
import Synchronization

/// Notices for browsers without a script, which are redirected after an order. The address of the page holds only an id
/// of a notice that is kept here, so no link can make the page show a made-up text.
final class DashboardNotices: Sendable {
    /// Seconds.
    static let lifetime: TimeInterval = 60
    private static let countMaximum = 100

    private let kept = Mutex<[UUID: (notice: DashboardNotice, until: Date)]>([:])

    func keep(_ notice: DashboardNotice, at now: Date) -> UUID {
        kept.withLock { kept in
            kept = kept.filter { $0.value.until > now }
            if kept.count >= Self.countMaximum, let oldest = kept.min(by: { $0.value.until < $1.value.until }) {
                kept[oldest.key] = nil
            }
            let id = UUID()
            kept[id] = (notice, now.addingTimeInterval(Self.lifetime))
            return id
        }
    }

    func notice(_ id: UUID, at now: Date) -> DashboardNotice? {
        kept.withLock { kept in kept[id].flatMap { $0.until > now ? $0.notice : nil } }
    }
}

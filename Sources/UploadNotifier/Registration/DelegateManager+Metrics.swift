import Foundation
import Uploads

extension DelegateManager {
    /// Updates the gauges of each delegate's backlog, and of the age of the oldest outcome in it. Call it before the metrics are read,
    /// and not more often: counting a backlog of 100,000 takes milliseconds.
    /// - Parameter isShown: whether this notifier shows them; of several notifiers with one ledger, one does.
    public func showBacklogs(_ isShown: Bool = true) async {
        guard isShown else { return show([:], [:]) }
        guard let statuses = try? await register.statuses(), let oldest = try? await register.oldestUndelivered() else {
            return
        }
        let now = clock.now()
        let backlogs = Dictionary(statuses.map { ($0.delegate, $0.backlog) }, uniquingKeysWith: max)
        let names = summaries.map(\.name)
        show(
            Dictionary(names.map { ([$0], Double(backlogs[$0] ?? 0)) }, uniquingKeysWith: max),
            Dictionary(
                names.map { name in ([name], oldest[name].map { max(0, now.timeIntervalSince($0)) } ?? 0) },
                uniquingKeysWith: max))
    }

    private func show(_ backlogs: [[String]: Double], _ ages: [[String]: Double]) {
        gauges.backlogs.show(backlogs)
        gauges.ages.show(ages)
    }
}

import Metrics
import Synchronization
import Uploads

extension DelegateManager {
    /// Updates the gauge of each delegate's backlog. Call it before the metrics are read, and not more often: counting
    /// a backlog of 100,000 takes milliseconds.
    public func showBacklogs() async {
        guard let statuses = try? await register.statuses() else { return }
        let backlogs = Dictionary(uniqueKeysWithValues: statuses.map { ($0.delegate, $0.backlog) })
        let names = Set(summaries.map(\.name))
        for name in names { Self.gauge(name).record(backlogs[name] ?? 0) }
        let gone = state.withLock { state in
            defer { state.shown = names }
            return state.shown.subtracting(names)
        }
        for name in gone { Self.gauge(name).destroy() }
    }

    private static func gauge(_ delegate: String) -> Gauge {
        Gauge(label: "upload_delegate_backlog", dimensions: [("delegate", delegate)])
    }
}

import Metrics
import Synchronization
import Uploads

extension DelegateManager {
    /// Brings the gauge of what waits for each delegate up to date; for whoever is about to read it, since counting takes
    /// milliseconds for a backlog of 100,000.
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

import Metrics
import Synchronization
import Uploads

/// The delegates that label metrics which stay: apps register delegates, and may do so under ever new names.
enum DelegateLabels {
    static let countMaximum = 600
    static let others = "other"
    private static let known = Mutex<Set<String>>([])

    static func label(of delegate: String) -> String {
        known.withLock { known in
            if known.count < countMaximum { known.insert(delegate) }
            return known.contains(delegate) ? delegate : others
        }
    }

    /// The times from what an outcome says until the delegate has taken it.
    static func latency(of delegate: String) -> Metrics.Timer {
        Metrics.Timer(label: "upload_delegate_delivery_seconds", dimensions: [("delegate", label(of: delegate))])
    }
}

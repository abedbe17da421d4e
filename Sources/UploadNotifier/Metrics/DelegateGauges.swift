/// The gauges of what delegates have not taken yet.
struct DelegateGauges: Sendable {
    let backlogs = GaugeFamily("upload_delegate_backlog", "delegate")
    let ages = GaugeFamily("upload_delegate_oldest_age_seconds", "delegate")
}

import Uploads
import UploadsAPI

/// What an operator may do with workers. Each verb takes the other one back, so only a verb for several workers asks first.
enum DashboardWorkerVerb: String, CaseIterable, Sendable {
    case drain, resume

    /// The verb that the worker's button offers.
    init(for worker: API.Worker) {
        let state = WorkerReport.State(rawValue: worker.state)
        self = state == .draining || state == .drained ? .resume : .drain
    }

    func fits(_ worker: API.Worker) -> Bool { self == DashboardWorkerVerb(for: worker) }

    var label: String { self == .drain ? "Drain" : "Resume" }

    /// The path of the verb for several workers.
    var bulkPath: String { "/dashboard/orders/\(rawValue)-workers" }

    func command(_ names: [String]) -> UploadOrder.Command {
        self == .drain ? .drainWorkers(names) : .resumeWorkers(names)
    }

    /// The notice after the order.
    func done(_ names: [String]) -> String {
        let who = names.count == 1 ? "Worker \(names[0])" : "\(DashboardText.count(names.count)) workers"
        return switch (self, names.count == 1) {
        case (.drain, true): "\(who) hands its jobs over and takes no others, until it is resumed."
        case (.drain, false): "\(who) hand their jobs over and take no others, until they are resumed."
        case (.resume, true): "\(who) takes jobs again."
        case (.resume, false): "\(who) take jobs again."
        }
    }

    /// - Parameter running: jobs that the workers run.
    func consequence(running: Int) -> String {
        guard self == .drain else { return "They take jobs again." }
        let jobs =
            running > 0 ? " Their \(DashboardText.count(running, "running job")) go on at other workers." : ""
        return "They take no jobs until they are resumed.\(jobs)"
    }

    func button(_ worker: API.Worker, _ viewer: DashboardViewer) -> HTML? {
        viewer.button(
            label, title: "\(label) worker \(worker.name)", path: ["workers", worker.name, rawValue], of: nil,
            look: self == .resume ? "strong" : "")
    }
}

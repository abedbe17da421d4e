import Foundation
import Uploads
import UploadsAPI

/// The page of all live workers.
struct DashboardWorkers: Sendable {
    let workers: [API.Worker]
    let viewer: DashboardViewer
    let at: Date

    func document(notice: DashboardNotice?) -> HTML {
        let used = workers.map(\.slotsUsed).sumSaturating()
        let slots = workers.map(\.slots).sumSaturating()
        let hosts = Set(workers.map(\.host)).count
        let note =
            workers.isEmpty
            ? ""
            : "\(DashboardText.count(workers.count)) on \(DashboardText.count(hosts, "host")), \(DashboardText.count(used)) of "
                + "\(DashboardText.count(slots, "slot")) used"
        return PageFrame.page(
            "Workers", at: .workers, for: viewer, updates: .fetched(DashboardPlace.workers.path), notice: notice,
            """
            <section class="card" aria-labelledby="heading-workers"><div class="heading"><h2 id="heading-workers">Workers</h2>\
            <p class="note">\(note)</p></div>
            \(workers.isEmpty ? DashboardPage.empty("No worker has reported within the last 30 s. upload-worker starts one.") : nil)
            \(workers.isEmpty ? nil : table)</section>
            """)
    }

    private var table: HTML {
        """
        <table role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Worker</th>\
        <th role="columnheader" scope="col" class="number">Slots</th>\
        <th role="columnheader" scope="col" class="number">Rate</th>\
        <th role="columnheader" scope="col" class="number">Version</th>\
        <th role="columnheader" scope="col" class="number">Running</th>\
        <th role="columnheader" scope="col" class="number">Heard</th>\
        <th role="columnheader" scope="col"><span class="hidden">Action</span></th></tr></thead>
        <tbody role="rowgroup">\(workers.map { row($0) })</tbody></table>
        """
    }

    private func row(_ worker: API.Worker) -> HTML {
        let state = WorkerReport.State(rawValue: worker.state)
        let badge: HTML? =
            switch state {
            case .draining: DashboardPage.badge("Draining", "warn")
            case .drained: DashboardPage.badge("Drained", "warn")
            default: nil
            }
        let commit: HTML? = worker.commit.map { "<small>\(String($0.prefix(8)))</small>" }
        let queues = worker.queues.joined(separator: ", ")
        return """
            <tr role="row" id="worker-\(worker.name)"><th role="rowheader" scope="row"><span class="line">\
            <span class="title">\(name: worker.name)</span>\(badge)</span><small class="queues">\(name: queues)</small></th>
            \(DashboardPage.cell("Slots", "\(DashboardText.count(worker.slotsUsed)) of \(DashboardText.count(worker.slots))"))
            \(DashboardPage.cell("Rate", worker.bytesPerSecond.map { "\(DashboardText.rate($0))" } ?? DashboardPage.nothing))
            \(DashboardPage.cell("Version", "\(worker.version)\(commit)"))
            \(DashboardPage.cell("Running", DashboardText.age(worker.startedAt, now: at)))
            \(DashboardPage.cell("Heard", DashboardText.time(worker.heardAt, now: at)))
            <td role="cell" class="action">\(button(worker, isDrained: state == .draining || state == .drained))</td></tr>
            """
    }

    /// Draining needs no question: the same place takes it back.
    private func button(_ worker: API.Worker, isDrained: Bool) -> HTML? {
        let (verb, label) = isDrained ? ("resume", "Resume") : ("drain", "Drain")
        return viewer.button(
            label, title: "\(label) worker \(worker.name)", path: ["workers", worker.name, verb], of: nil,
            look: isDrained ? "strong" : "")
    }
}

import Foundation
import Uploads
import UploadsAPI

/// The page of all live workers, of which a text may choose some.
struct DashboardWorkers: Sendable {
    /// The workers that the text chooses, in the order of their hosts and names.
    let workers: [API.Worker]
    /// What the user looks for in the names, hosts and queues; empty for all workers.
    let text: String
    let page: DashboardListPage<API.Worker>
    let viewer: DashboardViewer
    let at: Date

    init(_ all: [API.Worker], text: String, page: Int, viewer: DashboardViewer, at: Date) {
        self.text = text
        self.viewer = viewer
        self.at = at
        workers = Self.chosen(of: all, by: text)
        self.page = DashboardListPage(workers, number: page)
    }

    /// The workers whose name, host or one of whose queues contains the text, whatever its case.
    static func chosen(of all: [API.Worker], by text: String) -> [API.Worker] {
        let text = text.lowercased()
        return all.filter { worker in
            text.isEmpty || ([worker.name, worker.host] + worker.queues).contains { $0.lowercased().contains(text) }
        }.sorted { ($0.host, $0.name) < ($1.host, $1.name) }
    }

    private var query: [(String, String)] { text.isEmpty ? [] : [("text", text)] }

    func document(notice: DashboardNotice?) -> HTML {
        let path = DashboardPlace.workers.path
        let used = workers.map(\.slotsUsed).sumSaturating()
        let slots = workers.map(\.slots).sumSaturating()
        let hosts = Set(workers.map(\.host)).count
        let note =
            workers.isEmpty
            ? ""
            : "\(DashboardText.count(workers.count)) on \(DashboardText.count(hosts, "host")), \(DashboardText.count(used)) of "
                + "\(DashboardText.count(slots, "slot")) used"
        let none =
            text.isEmpty
            ? "No worker has reported within the last 30 s. upload-worker starts one."
            : "No worker, host or queue is called so."
        return PageFrame.page(
            "Workers", at: .workers, for: viewer, updates: .fetched(page.path(path, query)), notice: notice,
            """
            <section class="card" aria-labelledby="heading-workers"><div class="heading"><h2 id="heading-workers">Workers</h2>\
            <p class="note">\(note)</p></div>
            <form method="get" action="\(path)" class="filters" role="search"><label>Name, host or queue \
            <input name="text" type="search" value="\(text)" maxlength="\(WorkerReport.textBytesMaximum)"></label>\
            <button>Show</button></form>\(bulk)
            \(workers.isEmpty ? DashboardPage.empty(none) : table)\(page.links(path, query))</section>
            """)
    }

    /// The verbs for all workers that are shown, each of which asks first.
    private var bulk: HTML? {
        guard viewer.mayOperate, (2...UploadOrder.workersMaximum).contains(workers.count) else { return nil }
        let links = DashboardWorkerVerb.allCases.filter { verb in workers.contains { verb.fits($0) } }.map {
            verb -> HTML in
            "<a class=\"button\" href=\"\(verb.bulkPath)?\(DashboardText.query(query))\">\(verb.label) all…</a>"
        }
        return "<div class=\"bulk\" role=\"group\" aria-label=\"All workers that are shown\">\(links)</div>"
    }

    private var table: HTML {
        """
        <table role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Worker</th>\
        <th role="columnheader" scope="col" class="number">Slots</th>\
        <th role="columnheader" scope="col" class="number">Rate</th>\
        <th role="columnheader" scope="col" class="number">Version</th>\
        <th role="columnheader" scope="col" class="number">Up for</th>\
        <th role="columnheader" scope="col" class="number">Heard</th>\
        <th role="columnheader" scope="col"><span class="hidden">Action</span></th></tr></thead>
        <tbody role="rowgroup">\(page.elements.map { row($0) })</tbody></table>
        """
    }

    private func row(_ worker: API.Worker) -> HTML {
        let commit: HTML? = worker.commit.map { "<small>\(String($0.prefix(8)))</small>" }
        let queues = worker.queues.joined(separator: ", ")
        return """
            <tr role="row" id="worker-\(worker.name)"><th role="rowheader" scope="row"><span class="line">\
            <a class="title" href="\(DashboardWorkerPage.path(worker.name))">\(name: worker.name)</a>\
            \(DashboardWorkerPage.badge(of: worker))</span><small class="queues">\(name: queues)</small></th>
            \(DashboardPage.cell("Slots", "\(DashboardText.count(worker.slotsUsed)) of \(DashboardText.count(worker.slots))"))
            \(DashboardPage.cell("Rate", worker.bytesPerSecond.map { "\(DashboardText.rate($0))" } ?? DashboardPage.nothing))
            \(DashboardPage.cell("Version", "\(worker.version)\(commit)"))
            \(DashboardPage.cell("Up for", DashboardText.age(worker.startedAt, now: at)))
            \(DashboardPage.cell("Heard", DashboardText.time(worker.heardAt, now: at)))
            <td role="cell" class="action">\(DashboardWorkerVerb(for: worker).button(worker, viewer))</td></tr>
            """
    }

    /// The page that asks before a verb is applied to several workers.
    func question(_ verb: DashboardWorkerVerb) -> HTML {
        let workers = workers.filter { verb.fits($0) }
        let running = workers.map(\.slotsUsed).sumSaturating()
        let names = workers.map { worker -> HTML in
            "<li><p class=\"line\"><span class=\"title\">\(name: worker.name)</span></p></li>"
        }
        let go: HTML? =
            workers.isEmpty
            ? nil
            : """
            <form method="post" action="\(verb.bulkPath)">\(HTML.hidden("worker", workers.map(\.name)))\
            <button class="strong">\(verb.label) \(DashboardText.count(workers.count, "worker"))</button></form>
            """
        return PageFrame.page(
            "\(verb.label) workers", at: .workers, for: viewer, updates: .none,
            """
            <section class="card job" aria-labelledby="heading-question"><div class="heading">\
            <h2 id="heading-question">\(verb.label) \(DashboardText.count(workers.count, "worker"))?</h2></div>
            <p class="text">\(verb.consequence(running: running))</p>
            <div class="verbs">\(go)<a href="\(page.path(DashboardPlace.workers.path, query))">Go back</a></div></section>
            <section class="card" aria-labelledby="heading-names"><div class="heading"><h2 id="heading-names">These are</h2></div>
            <ul class="rows">\(names)</ul></section>
            """)
    }
}

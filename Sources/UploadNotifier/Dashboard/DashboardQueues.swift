import Foundation
import Uploads
import UploadsAPI

/// The page of all transfer queues, in the order of their names.
struct DashboardQueues: Sendable {
    let page: DashboardListPage<API.Queue>
    let isBrokerThere: Bool
    let viewer: DashboardViewer
    let at: Date

    init(_ all: [API.Queue], page: Int, isBrokerThere: Bool, viewer: DashboardViewer, at: Date) {
        self.page = DashboardListPage(all, number: page)
        self.isBrokerThere = isBrokerThere
        self.viewer = viewer
        self.at = at
    }

    func document(notice: DashboardNotice?) -> HTML {
        let path = DashboardPlace.queues.path
        let table = DashboardQueueTable(isBrokerThere: isBrokerThere, viewer: viewer, at: at)
        return PageFrame.page(
            "Queues", at: .queues, for: viewer, updates: .fetched(page.path(path)), notice: notice,
            """
            <section class="card" aria-labelledby="heading-queues"><div class="heading"><h2 id="heading-queues">Queues</h2>\
            <p class="note">\(DashboardText.count(page.total))</p></div>
            \(page.total == 0 ? DashboardPage.noQueue : table.html(of: page.elements))\(page.links(path))</section>
            """)
    }
}

/// A page that the navigation leads to.
enum DashboardPlace: CaseIterable, Sendable {
    case pool, jobs, queues, workers, destinations, delegates, deadLetters, orders

    var path: String {
        switch self {
        case .pool: "/"
        case .jobs: "/dashboard/jobs"
        case .queues: "/dashboard/queues"
        case .workers: "/dashboard/workers"
        case .destinations: "/dashboard/destinations"
        case .delegates: "/dashboard/delegates"
        case .deadLetters: "/dashboard/dead-letters"
        case .orders: "/dashboard/audit"
        }
    }

    var title: String {
        switch self {
        case .pool: "Pool"
        case .jobs: "Jobs"
        case .queues: "Queues"
        case .workers: "Workers"
        case .destinations: "Destinations"
        case .delegates: "Delegates"
        case .deadLetters: "Dead letters"
        case .orders: "Orders"
        }
    }

    /// The links to all pages that the viewer may see.
    static func navigation(at place: DashboardPlace, for viewer: DashboardViewer) -> HTML {
        let links = allCases.filter { $0 != .orders || viewer.seesAudit }.map { other -> HTML in
            let mark: HTML? = other == place ? " aria-current=\"page\"" : nil
            return "<li><a href=\"\(other.path)\"\(mark)>\(other.title)</a></li>"
        }
        return "<nav aria-label=\"Pages\"><ul>\(links)</ul></nav>"
    }
}

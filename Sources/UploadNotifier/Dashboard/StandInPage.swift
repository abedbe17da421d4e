public import Hummingbird
import Uploads

/// What stands at `/` while a notifier is not at work with its ledger: a page that says so in words and looks again by itself.
public enum StandInPage {
    private static let refreshSeconds = 5

    /// Where it stands: the guard answers there (``StandByGuard``).
    static let paths: Set = ["/", "/dashboard/sign-in"]

    /// What it is made of, which the dashboard is made of as well.
    public static let assetPaths = Set(DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    /// It tells nothing that anybody may not know, so it asks nobody who they are.
    static func response(_ obstacle: LedgerObstacle) -> Response {
        let (title, text) = words(for: obstacle)
        return APIAnswer.pageResponse(
            PageFrame.message(title, text, refreshSeconds: refreshSeconds), status: .serviceUnavailable,
            headers: [.retryAfter: String(refreshSeconds)])
    }

    /// For a router without the dashboard.
    public static func addAssets(to router: Router<APIRequestContext>) {
        for asset in DashboardAsset.allCases {
            router.get("/assets/\(asset.rawValue)") { request, _ in
                try APIAnswer.asset(asset, ifNoneMatch: request.headers[.ifNoneMatch]).make()
            }
        }
    }

    private static func words(for obstacle: LedgerObstacle) -> (title: String, text: String) {
        switch obstacle {
        case .taken:
            (
                "Standing by",
                "Another notifier has the ledger and does the work; its own address has the dashboard. This one takes over "
                    + "within seconds when that one ends, and shows it here then."
            )
        case .failed(let error):
            (
                "Waiting for the ledger",
                "This notifier cannot record: \(error.message). It tries again by itself and shows the dashboard here then; "
                    + "what is enqueued meanwhile waits at the broker."
            )
        case .foreign(let reason):
            (
                "Another ledger has the namespace",
                "This notifier records and tells nothing: \(reason). It goes on by itself once the namespace has its ledger, and "
                    + "shows the dashboard here then."
            )
        }
    }
}

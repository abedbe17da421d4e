public import Hummingbird
import Uploads

/// The page at `/` while a notifier does not work with its ledger: it says why, and reloads itself.
public enum StandInPage {
    private static let refreshSeconds = 5

    /// The paths that it answers; ``StandByGuard`` sends it there.
    static let paths: Set = ["/", "/dashboard/sign-in"]

    /// Its style and script, which are those of the dashboard.
    public static let assetPaths = Set(DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    /// The page holds nothing confidential, so it needs no token.
    static func response(_ obstacle: LedgerObstacle) -> Response {
        let (title, text) = words(for: obstacle)
        return APIAnswer.pageResponse(
            PageFrame.message(title, text, refreshSeconds: refreshSeconds), status: .serviceUnavailable,
            headers: [.retryAfter: String(refreshSeconds)])
    }

    /// Adds its style and script to a router without the dashboard.
    public static func addAssets(to router: Router<APIRequestContext>) {
        for asset in DashboardAsset.allCases {
            router.get("/assets/\(asset.rawValue)") { request, _ in
                try APIAnswer.asset(asset, ifNoneMatch: request.headers[.ifNoneMatch]).make()
            }
        }
    }

    private static func words(for obstacle: LedgerObstacle) -> (title: String, text: String) {
        switch obstacle {
        case .taken, .divided:
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
                "This notifier neither records nor delivers: \(reason). It goes on by itself once the namespace has its ledger, and "
                    + "shows the dashboard here then."
            )
        }
    }
}

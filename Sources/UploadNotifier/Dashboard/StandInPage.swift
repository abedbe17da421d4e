public import Hummingbird
import Uploads

/// What stands at `/` while a notifier has no ledger: a page that says so in words and looks again by itself.
public enum StandInPage {
    private static let refreshSeconds = 5

    /// Where it stands, and what it is made of.
    public static let paths = Set(pages + DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    private static let pages = ["/", "/dashboard/sign-in"]

    /// It tells nothing that anybody may not know, so it asks nobody who they are.
    public static func add(
        to router: Router<APIRequestContext>, obstacle: @escaping @Sendable () -> LedgerObstacle
    ) {
        for path in pages {
            router.get(RouterPath(path)) { _, _ in
                let (title, text) = words(for: obstacle())
                return APIAnswer.pageResponse(
                    PageFrame.message(title, text, refreshSeconds: refreshSeconds), status: .serviceUnavailable,
                    headers: [.retryAfter: String(refreshSeconds)])
            }
        }
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
        }
    }
}

public import Hummingbird

/// What stands at `/` while a notifier does not work: a page that says so in words and looks again by itself.
public struct StandInPage: Sendable {
    private static let refreshSeconds = 5

    private let title: String
    private let text: String

    /// Another notifier of this host has the ledger.
    public static let standBy = StandInPage(
        title: "Standing by",
        text:
            "Another notifier has the ledger and does the work; its own address has the dashboard. This one takes over "
            + "within seconds when that one ends, and shows it here then.")

    private init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// Where it stands, and what it is made of.
    public static let paths = Set(pages + DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    private static let pages = ["/", "/dashboard/sign-in"]

    /// It tells nothing that anybody may not know, so it asks nobody who they are.
    public func add(to router: Router<APIRequestContext>) {
        for path in Self.pages {
            router.get(RouterPath(path)) { _, _ in
                APIAnswer.pageResponse(
                    PageFrame.message(title, text, refreshSeconds: Self.refreshSeconds), status: .serviceUnavailable,
                    headers: [.retryAfter: String(Self.refreshSeconds)])
            }
        }
        for asset in DashboardAsset.allCases {
            router.get("/assets/\(asset.rawValue)") { request, _ in
                try APIAnswer.asset(asset, ifNoneMatch: request.headers[.ifNoneMatch]).make()
            }
        }
    }
}

import Crypto
import Foundation

/// The files that the page loads: compiled in, and the same for every viewer.
enum DashboardAsset: String, CaseIterable, Sendable {
    case style = "dashboard.css"
    case script = "dashboard.js"
    case icon = "icon.svg"

    var type: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .style: PackageResources.dashboard_css
        case .script: PackageResources.dashboard_js
        case .icon: Array(Self.iconText.utf8)
        }
    }

    /// Changes with the content.
    var etag: String { Self.etags[self] ?? "" }

    /// Changes when any of the files changes: then a page of an older notifier reloads itself.
    static let version = allCases.map(\.etag).joined().filter { $0 != "\"" }

    private static let etags = Dictionary(
        uniqueKeysWithValues: allCases.map { asset in
            let digest = SHA256.hash(data: Data(asset.bytes)).prefix(8)
            return (asset, "\"\(digest.map { String(format: "%02x", $0) }.joined())\"")
        })

    /// The logo: a crate on its way up.
    static let mark: HTML = """
        <rect width="32" height="32" rx="8" class="plate"/><path class="line" d="M8 21.5h16M16 7v9.5M11.5 11.2 16 6.7l4.5 4.5"/>\
        <path class="line" d="M8 21.5v3.2h16v-3.2"/>
        """

    private static let iconText = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>.plate{fill:#0f5c8c}.line{fill:none;\
        stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}</style>\(mark.text)</svg>
        """
}

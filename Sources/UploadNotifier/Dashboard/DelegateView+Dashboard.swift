import Foundation
import Uploads

extension DelegateView {
    var kind: String { summary.kind }
    var target: String? { summary.target }
    var backlog: Int { standing?.backlog ?? 0 }
    var failed: Int { standing?.failed ?? 0 }
    var isPaused: Bool { standing?.pausedSince != nil }
    var pausedSince: Date? { standing?.pausedSince }
    var reason: String? { standing?.reason }
}

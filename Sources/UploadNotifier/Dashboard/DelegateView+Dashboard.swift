import Foundation
import Uploads

extension DelegateView {
    var kind: String { summary.kind }
    var target: String? { summary.target }
    var backlog: Int { status?.backlog ?? 0 }
    var failed: Int { status?.failed ?? 0 }
    var isPaused: Bool { status?.pausedSince != nil }
    var pausedSince: Date? { status?.pausedSince }
    var reason: String? { status?.reason }
}

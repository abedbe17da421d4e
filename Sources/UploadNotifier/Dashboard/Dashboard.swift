import Uploads

/// The state that the dashboard keeps between requests.
final class Dashboard: Sendable {
    let feed = DashboardFeed()
    let notices = DashboardNotices()
    let brake = GuessBrake()
    /// nil where no token is needed.
    let sessions: DashboardSessions?

    init(access: APIAccess) {
        sessions = if case .token(let token) = access { DashboardSessions(token: token) } else { nil }
    }
}

/// The state that the dashboard keeps between requests.
final class Dashboard: Sendable {
    let feed = DashboardFeed()
    let notices = DashboardNotices()
    let brake = GuessBrake()
    let sessions = DashboardSessions()
}

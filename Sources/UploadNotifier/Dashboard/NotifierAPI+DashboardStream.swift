import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle
import Uploads

/// The stream of changes of the dashboard: one event for each part of the page that has changed since it was last sent.
extension NotifierAPI {
    private static let beat = Duration.seconds(10)

    func followDashboard(_ request: APIRequest) async throws -> APIAnswer {
        let seat = try takeSeat()
        let channel = request.context?.channel
        let session = dashboard.sessions.flatMap { request.session(named: $0.cookieName) }
        return .stream(type: "text/event-stream") { [self] writer in
            defer { withExtendedLifetime(seat) {} }
            try await sendDashboard(to: &writer, channel: channel, session: session)
        }
    }

    private func sendDashboard(
        to writer: inout any ResponseBodyWriter, channel: (any Channel)?, session: String?
    ) async throws {
        let watchdog = WriteWatchdog(channel, secondsMaximum: streaming.writeSecondsMaximum)
        var sent: [DashboardPart] = []
        var lastWrite = ContinuousClock.now
        let beginning = "retry: 2000\n\n" + Self.event("version", DashboardAsset.version)
        try await watchdog.watching { try await writer.write(ByteBuffer(string: beginning)) }
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel?.isActive ?? true {
            // The stream ends when its user signs out, or when the session ends.
            if let session, let sessions = dashboard.sessions, !sessions.isValid(session, at: clock.now()) { return }
            var text = ""
            do {
                let parts = try await dashboardPage().parts
                for part in parts where !sent.contains(part) { text += Self.event("part", part.html.text) }
                sent = parts
            } catch let error as UploadError {
                text = Self.event("problem", error.message)
            }
            if text.isEmpty, ContinuousClock.now - lastWrite >= Self.beat { text = Self.event("beat", "") }
            if !text.isEmpty {
                try await watchdog.watching { try await writer.write(ByteBuffer(string: text)) }
                lastWrite = .now
            }
            try await Task.sleep(for: DashboardFeed.ageMaximum)
        }
    }

    /// Each line of the data becomes a `data:` line of the event; the browser joins them again.
    private static func event(_ type: String, _ data: String) -> String {
        let lines = data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return "event: \(type)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
    }
}

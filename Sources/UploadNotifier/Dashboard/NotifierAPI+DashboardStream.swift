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
        let (caller, session) = (request.caller, request.session)
        return .stream(type: "text/event-stream") { [self] writer in
            defer { withExtendedLifetime(seat) {} }
            try await sendDashboard(to: &writer, channel: channel, caller: caller, session: session)
        }
    }

    private func sendDashboard(
        to writer: inout any ResponseBodyWriter, channel: (any Channel)?, caller: APICaller, session: String?
    ) async throws {
        let watchdog = WriteWatchdog(channel, secondsMaximum: streaming.writeSecondsMaximum)
        var sent: [DashboardPart] = []
        var lastWrite = ContinuousClock.now
        let beginning = "retry: 2000\n\n" + Self.event("version", DashboardAsset.version)
        try await watchdog.watching { try await writer.write(ByteBuffer(string: beginning)) }
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel?.isActive ?? true {
            guard isAdmitted(caller, session) else { return }
            var text = ""
            do {
                let parts = try await dashboardPage(for: caller).parts
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

    /// Whether the stream goes on: it ends when its user signs out, when the session ends, and when the token may do something
    /// else than before.
    private func isAdmitted(_ caller: APICaller, _ session: String?) -> Bool {
        guard let name = caller.name else { return true }
        let access = access.value
        let token =
            session.map { dashboard.sessions.token(of: $0, among: access, at: clock.now()) }
            ?? access.token(named: name)
        return token.map { $0.role == caller.role && $0.queues == caller.queues } ?? false
    }

    /// Each line of the data becomes a `data:` line of the event; the browser joins them again.
    private static func event(_ type: String, _ data: String) -> String {
        let lines = data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return "event: \(type)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
    }
}

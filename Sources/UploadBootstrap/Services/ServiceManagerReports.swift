import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import Uploads

/// Tells the service manager what `/readyz` and `/healthz` say: when the program is ready, why it is not, and that it is alive.
struct ServiceManagerReports: Service {
    /// nil: no manager started the program.
    let socket: ServiceManagerSocket?
    let readiness: Readiness
    /// How long stopping may take.
    let grace: Duration

    /// How often the state is looked at before the program is ready, and then.
    private static let (interval, readyInterval) = (Duration.milliseconds(500), Duration.seconds(5))
    /// What a stop may take beyond the grace period.
    private static let graceMargin = Duration.seconds(20)

    func run() async throws {
        guard let socket else {
            try? await gracefulShutdown()
            return
        }
        // Goes on until the process ends, because the program is alive while it stops, however long its grace period is.
        if let watchdog = socket.watchdog { Task.detached { await Self.tellLife(to: socket, within: watchdog) } }
        let state = Task { await tellState(to: socket) }
        try? await gracefulShutdown()
        state.cancel()
        await state.value
        let limit = Int64((grace + Self.graceMargin) / .microseconds(1))
        socket.send(["EXTEND_TIMEOUT_USEC=\(limit)", "STATUS=stopping"])
    }

    private func tellState(to socket: ServiceManagerSocket) async {
        var told: String?
        var wasReady = false
        while !Task.isCancelled {
            let reason = await readiness.reason
            let state = reason.map { "not ready: \($0)" } ?? "ready"
            if state != told {
                let ready = reason == nil && !wasReady ? ["READY=1"] : []
                socket.send(ready + ["STATUS=\(state.replacing(exactly: "\n", with: " "))"])
                wasReady = wasReady || reason == nil
                told = state
            }
            try? await Task.sleep(for: wasReady ? Self.readyInterval : Self.interval)
        }
    }

    /// Each sign of life has passed through this program's tasks and an event loop, as an answer of `/healthz` does.
    private static func tellLife(to socket: ServiceManagerSocket, within limit: Duration) async {
        while !Task.isCancelled {
            try? await MultiThreadedEventLoopGroup.singleton.next().submit {}.get()
            socket.send(["WATCHDOG=1"])
            try? await Task.sleep(for: limit / 3)
        }
    }
}

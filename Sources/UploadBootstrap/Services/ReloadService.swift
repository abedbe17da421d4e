import Dispatch
import Foundation
import Logging
import ServiceLifecycle

/// Reads the configuration anew on SIGHUP. If the new one is invalid, it logs the error and keeps the old one. It names the keys whose new values
/// count only from the next start on.
struct ReloadService: Service {
    let program: ProgramName
    let input: ConfigurationInput
    /// The settings with which the program began.
    let settings: Settings
    /// Whether the running program takes over a changed value of a key.
    var takesOver: @Sendable (ConfigurationKey) -> Bool = { $0.change == .reload }
    let logger: Logger
    /// Puts the new configuration into effect.
    let apply: @Sendable (UploadConfiguration) async throws -> Void

    func run() async throws {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        defer { source.cancel() }
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }

    func reload() async {
        do {
            let new = try UploadConfiguration(input)
            try await apply(new)
            logger.notice("configuration read anew")
            let keys = new.settings.changesToCome(since: settings, in: program, takesOver: takesOver)
            guard !keys.isEmpty else { return }
            // A repeated warning is not a line each time, and the keys differ from time to time.
            logger.notice(
                "changed keys count from the next start on", metadata: ["keys": "\(keys.joined(separator: ", "))"])
        } catch {
            logger.error(
                "configuration is wrong; the old one stays", metadata: ["error": "\(Program.problem(error))"])
        }
    }
}

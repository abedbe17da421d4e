import Dispatch
import Foundation
import Logging
import ServiceLifecycle

/// Reads the configuration anew on SIGHUP. If the new one is invalid, it logs the error and keeps the old one.
struct ReloadService: Service {
    let input: ConfigurationInput
    let logger: Logger
    /// Puts the new configuration into effect.
    let apply: @Sendable (UploadConfiguration) async throws -> Void

    func run() async throws {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        defer { source.cancel() }
        for await _ in signals.cancelOnGracefulShutdown() {
            do {
                try await apply(UploadConfiguration(input))
                logger.notice("configuration read anew")
            } catch {
                logger.error(
                    "configuration is wrong; the old one stays", metadata: ["error": "\(Program.problem(error))"])
            }
        }
    }
}

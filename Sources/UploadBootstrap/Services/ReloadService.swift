import Dispatch
import Foundation
import Logging
import ServiceLifecycle

/// SIGHUP: reads the configuration anew. One that is wrong changes nothing and is told.
struct ReloadService: Service {
    let input: ConfigurationInput
    let logger: Logger
    /// Takes the new configuration over.
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

import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

extension Bootstrap {
    /// Runs services in order until SIGTERM, SIGINT or the last one's end; stops them from the last to the first. A second
    /// SIGINT ends the process at once.
    static func run(_ services: [any Service], main: any Service, grace: Duration, logger: Logger) async throws {
        let secondInterrupt = Interruption(signals: [SIGINT])
        defer { withExtendedLifetime(secondInterrupt) {} }
        var configuration = ServiceGroupConfiguration(
            // Also where one fails: what is cancelled instead logs that before the failure itself is said.
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) } + [
                .init(
                    service: main, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger.quiet)
        // The work has its own grace; this is for what hangs beyond it.
        configuration.maximumGracefulShutdownDuration = grace + .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
    }
}

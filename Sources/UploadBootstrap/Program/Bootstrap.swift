import CLinux
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Builds the parts of each program from its configuration, and runs them.
public enum Bootstrap {
    /// Starts the services in order and runs them until SIGTERM, SIGINT or the end of `main`; then stops them from the last to the
    /// first. A second SIGINT ends the process at once.
    /// - Parameter readiness: what the service manager hears.
    static func run(
        _ services: [any Service], main: any Service, readiness: Readiness, grace: Duration, logger: Logger
    ) async throws {
        let secondInterrupt = Interruption(signals: [SIGINT])
        defer { withExtendedLifetime(secondInterrupt) {} }
        var configuration = ServiceGroupConfiguration(
            // A graceful shutdown after a failure too: services that are cancelled instead would log that before the failure is reported.
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) } + [
                .init(
                    service: main, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup),
                // The last one hears of a stop first.
                .init(
                    service: ServiceManagerReports(
                        socket: ServiceManagerSocket(ProcessInfo.processInfo.environment), readiness: readiness,
                        grace: grace)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger.quiet)
        // The work ends within its own grace period; this limit is for services that hang beyond it.
        configuration.maximumGracefulShutdownDuration = grace + .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Sets how long-running programs keep freed memory.
enum Allocator {
    private static let arenaMaximum: CInt = 2
    /// The free memory at the end of the heap that is not returned to the system: 64 MiB.
    private static let trimBytes: CInt = 64 << 20
    /// Allocations above 16 MiB get a mapping of their own, which is returned to the system at once.
    private static let mapBytes: CInt = 16 << 20

    /// Call this before the program starts threads. The readers allocate buffers and the senders free them: with an arena for each thread,
    /// every arena keeps as much as any thread ever needed; and returning each buffer to the system costs page faults.
    static func tune() { _ = linux_tune_allocator(arenaMaximum, trimBytes, mapBytes) }
}

import CLinux
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Builds what a program is made of, and runs it.
public enum Bootstrap {
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

/// How programs that run for long keep freed memory.
enum Allocator {
    private static let arenaMaximum: CInt = 2
    /// Free memory at the end of the heap that stays: 64 MiB.
    private static let trimBytes: CInt = 64 << 20
    /// What is larger than 16 MiB has a mapping of its own.
    private static let mapBytes: CInt = 16 << 20

    /// Before there are many threads. Buffers are allocated by those that read and freed by those that send: with an arena for each
    /// thread all keep as much as any of them ever needed, and a buffer that goes back to the system each time costs page faults.
    static func tune() { _ = linux_tune_allocator(arenaMaximum, trimBytes, mapBytes) }
}

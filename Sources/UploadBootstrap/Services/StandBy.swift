import Logging
import ServiceLifecycle
import Synchronization
import UploadNotifier

/// Waits for the ledger while another notifier of this host has it, alive and saying so: one works, the next takes over.
final class StandBy: Service {
    /// Between two looks at whether the ledger is free.
    private static let interval = Duration.milliseconds(250)

    private let path: String
    private let readiness: Readiness
    private let logger: Logger
    private let opened = Mutex<Ledger?>(nil)

    init(path: String, readiness: Readiness, logger: Logger) {
        self.path = path
        self.readiness = readiness
        self.logger = logger
        readiness.set("standing by: another notifier has the ledger \(path)")
        logger.notice("standing by: another notifier has the ledger", metadata: ["ledger": "\(path)"])
    }

    /// The ledger, once `run` has ended; nil if the program was stopped first.
    func takeLedger() -> Ledger? {
        opened.withLock { ledger in
            defer { ledger = nil }
            return ledger
        }
    }

    func run() async throws {
        let ledger = try await untilGracefulShutdown { [path, logger] in
            while true {
                if let ledger = try Ledger.openIfFree(path: path, logger: logger) { return ledger }
                try await Task.sleep(for: Self.interval)
            }
        }
        guard let ledger else { return }
        logger.notice("the ledger is free; taking over", metadata: ["ledger": "\(path)"])
        readiness.set("starting")
        opened.withLock { $0 = ledger }
    }
}

import Logging
import ServiceLifecycle
import Synchronization
import UploadNotifier
import Uploads

/// Waits for the ledger, alive and saying why: while another notifier of this host has it, of which one works and the next takes over, and
/// while it cannot be opened, because its disk is full for example.
final class StandBy: Service {
    enum Opening {
        case opened(Ledger)
        case obstacle(LedgerObstacle)
    }

    /// Between two looks at whether the ledger is free.
    private static let interval = Duration.milliseconds(250)
    /// Between two tries to open what cannot be opened; each writes to the disk.
    private static let pause = Duration.seconds(5)
    /// How often the log says that it still cannot.
    private static let warningInterval = Duration.seconds(60)

    private let path: String
    private let readiness: Readiness
    private let logger: Logger
    private let opened = Mutex<Ledger?>(nil)
    private let met: Mutex<(obstacle: LedgerObstacle, said: ContinuousClock.Instant)>

    init(path: String, _ obstacle: LedgerObstacle, readiness: Readiness, logger: Logger) {
        self.path = path
        self.readiness = readiness
        self.logger = logger
        met = Mutex((obstacle, .now))
        say(obstacle)
    }

    /// Tries once.
    /// - Throws: what does not pass by itself.
    static func open(_ path: String, logger: Logger) throws(UploadError) -> Opening {
        do throws(UploadError) {
            guard let ledger = try Ledger.openIfFree(path: path, logger: logger) else { return .obstacle(.taken) }
            return .opened(ledger)
        } catch {
            guard error.code == .serverFailure else { throw error }
            return .obstacle(.failed(error))
        }
    }

    /// Why there is no ledger yet.
    var obstacle: LedgerObstacle { met.withLock { $0.obstacle } }

    /// The ledger, once `run` has ended; nil if the program was stopped first.
    func takeLedger() -> Ledger? {
        opened.withLock { ledger in
            defer { ledger = nil }
            return ledger
        }
    }

    func run() async throws {
        let ledger = try await untilGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: obstacle == .taken ? Self.interval : Self.pause)
                switch try Self.open(path, logger: logger) {
                case .opened(let ledger): return ledger
                case .obstacle(let obstacle): meet(obstacle)
                }
            }
        }
        guard let ledger else { return }
        logger.notice("the ledger is free; taking over", metadata: ["ledger": "\(path)"])
        readiness.set("starting")
        opened.withLock { $0 = ledger }
    }

    private func meet(_ obstacle: LedgerObstacle) {
        let isNews = met.withLock { met in
            let isOther = obstacle.reason(path: path) != met.obstacle.reason(path: path)
            met.obstacle = obstacle
            guard isOther || (obstacle != .taken && met.said.duration(to: .now) > Self.warningInterval) else {
                return false
            }
            met.said = .now
            return true
        }
        if isNews { say(obstacle) }
    }

    private func say(_ obstacle: LedgerObstacle) {
        readiness.set(obstacle.reason(path: path))
        switch obstacle {
        case .taken: logger.notice("standing by: another notifier has the ledger", metadata: ["ledger": "\(path)"])
        case .failed(let error):
            logger.error("the ledger cannot be opened; it is tried again", metadata: ["error": "\(error)"])
        // Only a ledger that is open says whose it is.
        case .foreign: break
        }
    }
}

import Logging
import ServiceLifecycle
import Synchronization
import UploadNotifier
import Uploads

/// Waits for the ledger while `/healthz` and `/readyz` answer: while another notifier holds it (this one takes over when that one
/// ends), and while it cannot be opened, for example because its disk is full.
final class StandBy: Service {
    enum Opening {
        case opened(any NotifierLedger)
        case obstacle(LedgerObstacle)
    }

    /// The pause between two checks whether the other notifier has released the ledger's file.
    private static let interval = Duration.milliseconds(250)
    /// The pause between two tries to open a ledger that failed to open; each try writes to the disk.
    private static let pause = Duration.seconds(5)
    /// The least time between two log lines about the same failure to open.
    private static let warningInterval = Duration.seconds(60)

    private let place: LedgerPlace
    private let shards: Shards
    private let readiness: Readiness
    private let logger: Logger
    private let opened = Mutex<(any NotifierLedger)?>(nil)
    private let met: Mutex<(obstacle: LedgerObstacle, said: ContinuousClock.Instant)>

    init(
        _ place: LedgerPlace, shards: Shards, _ obstacle: LedgerObstacle, readiness: Readiness, logger: Logger
    ) {
        self.place = place
        self.shards = shards
        self.readiness = readiness
        self.logger = logger
        met = Mutex((obstacle, .now))
        say(obstacle)
    }

    /// Tries once to open the ledger.
    /// - Throws: errors that do not pass by themselves.
    static func open(_ place: LedgerPlace, shards: Shards, logger: Logger) async throws(UploadError) -> Opening {
        do throws(UploadError) {
            guard let ledger = try await place.openIfFree(shards: shards, isSharing: false, logger: logger) else {
                return .obstacle(.taken)
            }
            return .opened(ledger)
        } catch {
            guard error.code == .serverFailure else { throw error }
            return .obstacle(.failed(error))
        }
    }

    /// Why the ledger is not open yet.
    var obstacle: LedgerObstacle { met.withLock { $0.obstacle } }

    /// The ledger, once `run` has ended; nil if the program was stopped first.
    func takeLedger() -> (any NotifierLedger)? {
        opened.withLock { ledger in
            defer { ledger = nil }
            return ledger
        }
    }

    func run() async throws {
        let ledger = try await untilGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: obstacle == .taken ? Self.interval : Self.pause)
                switch try await Self.open(place, shards: shards, logger: logger) {
                case .opened(let ledger): return ledger
                case .obstacle(let obstacle): meet(obstacle)
                }
            }
        }
        guard let ledger else { return }
        logger.notice("the ledger is free; taking over", metadata: ["ledger": "\(place)"])
        readiness.set("starting")
        opened.withLock { $0 = ledger }
    }

    private func meet(_ obstacle: LedgerObstacle) {
        let isNews = met.withLock { met in
            let isOther = obstacle.reason(path: "\(place)") != met.obstacle.reason(path: "\(place)")
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
        readiness.set(obstacle.reason(path: "\(place)"))
        switch obstacle {
        case .taken: logger.notice("standing by: another notifier has the ledger", metadata: ["ledger": "\(place)"])
        case .failed(let error):
            logger.error("the ledger cannot be opened; it is tried again", metadata: ["error": "\(error)"])
        // Does not occur here: the notifier compares the ledger with the namespace's only after the ledger is open.
        case .foreign, .divided: break
        }
    }
}

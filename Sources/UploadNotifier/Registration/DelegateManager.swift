public import Logging
import Synchronization
public import Uploads

/// The delegates: those that the configuration declares, and those that were registered at run time. The manager
/// outlives the notifier services that serve them, which come and go with the connection to the broker.
///
/// Where both have a delegate of one name, the configured one is served; the registered one is kept and not served.
/// Changes are made one at a time, are durable before they return, and take effect between two batches of recording, so
/// that no outcome is lost between.
public final class DelegateManager: Sendable {
    /// The most registered delegates, without those of the configuration: each has a delivery loop, and series of its
    /// own in the metrics.
    public static let registeredMaximum = 500

    /// Makes a delegate that can be served from its configuration.
    public typealias Build = @Sendable (DelegateConfiguration) throws(UploadError) -> RegisteredDelegate

    struct State {
        var configured: [RegisteredDelegate] = []
        var registered: [String: RegisteredEntry] = [:]
        var isLoaded = false
        var build: Build?
        var allowNetworks: [NetworkRange] = []
        var service: NotifierService?
        /// Apps without a delegate that the log has complained about.
        var complained: Set<String> = []
    }

    let register: any DelegateRegister & DeliveryHistory
    let clock: NotifierClock
    let logger: Logger
    /// Changes take turns.
    let changes = AsyncLock()
    let state = Mutex(State())
    let gauges = DelegateGauges()

    public init(register: any DelegateRegister & DeliveryHistory, clock: NotifierClock = .system, logger: Logger) {
        self.register = register
        self.clock = clock
        self.logger = logger
    }

    /// Takes over the configuration, at the start and whenever it was read anew. The first call also loads the
    /// registered delegates from the ledger.
    /// - Parameters:
    ///   - allowNetworks: networks that are not public and that registered webhooks may point to all the same.
    ///   - build: makes the registered delegates, and allows these networks.
    /// - Throws: the ledger's error.
    public func configure(
        _ configured: [RegisteredDelegate], allowNetworks: [NetworkRange] = [], build: @escaping Build
    ) async throws {
        try await changes.withLock {
            if !state.withLock({ $0.isLoaded }) { try await load() }
            let all = state.withLock { state in
                state.isLoaded = true
                state.configured = configured
                state.allowNetworks = allowNetworks
                state.build = build
                for (name, entry) in state.registered { state.registered[name] = rebuilt(entry, build) }
                return state
            }
            for delegate in all.configured where all.registered[delegate.name] != nil {
                logger.error(
                    """
                    a delegate is declared in the configuration and registered as well: the configuration holds, the registered \
                    one is kept and not served
                    """, metadata: [LogKey.delegate: "\(delegate.name)"])
            }
            try await serveAll()
        }
    }

    /// Makes the notifier service that serves the delegates from now on.
    public func serve(by make: ([RegisteredDelegate]) throws -> NotifierService) async rethrows -> NotifierService {
        try await changes.withLock {
            let service = try make(served)
            service.onClients { [weak self] clients in await self?.serveClients(clients) }
            service.onDelegatesChanged { [weak self] () async throws(UploadError) in try await self?.readAnew() }
            state.withLock { $0.service = service }
            return service
        }
    }

    /// Notes that no notifier service serves the delegates.
    public func stopServing() { state.withLock { $0.service = nil } }

    /// The definitions of all delegates without their secrets, sorted by name.
    public var summaries: [DelegateSummary] {
        state.withLock { state in
            let configured = state.configured.map { delegate in
                var summary = delegate.summary
                summary.hidesRegistered = state.registered[delegate.name] != nil
                return summary
            }
            let names = Set(configured.map(\.name))
            return (configured + state.registered.values.filter { !names.contains($0.name) }.map(\.summary))
                .sorted { $0.name < $1.name }
        }
    }

    /// - Throws: `serverFailure` while no notifier service serves the delegates.
    func service() throws(UploadError) -> DeliveryService {
        guard let service = state.withLock({ $0.service }) else {
            throw UploadError(.serverFailure, "the notifier is not at work: it waits for the broker or takes over")
        }
        return service.deliveries
    }

    /// The outcomes that a delegate gets; nil if it is not served.
    func route(of name: String) -> DeliveryRoute? { served.first { $0.name == name }?.route }

    // MARK: Serving

    var served: [RegisteredDelegate] {
        state.withLock { state in
            let names = Set(state.configured.map(\.name))
            return state.configured
                + state.registered.values.filter { !names.contains($0.name) }.compactMap(\.delegate)
                .sorted { $0.name < $1.name }
        }
    }

    /// Serves the delegates of this moment from now on.
    /// - Parameter decide: runs before that, while nothing is recorded.
    func serveAll(after decide: () async throws -> Void = {}) async throws {
        guard let service = state.withLock({ $0.service }) else { return try await decide() }
        try await service.serve {
            try await decide()
            return served
        }
    }

    /// Reads the registered delegates that another notifier may have changed, and serves them.
    private func readAnew() async throws(UploadError) {
        do {
            try await changes.withLock {
                let registrations = try await register.registrations().filter { $0.removedAt == nil }
                state.withLock { state in
                    var registered: [String: RegisteredEntry] = [:]
                    for registration in registrations {
                        let entry = RegisteredEntry(registration)
                        let known = state.registered[entry.name]
                        let isSame = known?.changedAt == entry.changedAt && known?.definition == entry.definition
                        registered[entry.name] = isSame ? known : rebuilt(entry, state.build)
                    }
                    state.registered = registered
                }
                try await serveAll()
            }
        } catch {
            throw error as? UploadError
                ?? UploadError(.unknown, "the registered delegates cannot be read anew", cause: error)
        }
    }

    private func load() async throws(UploadError) {
        for registration in try await register.registrations() {
            guard registration.removedAt == nil else {
                // The notifier stopped in the middle of the removal.
                await finishRemoving(registration.name)
                continue
            }
            let entry = RegisteredEntry(registration)
            state.withLock { $0.registered[entry.name] = entry }
        }
    }

    /// If the outcomes cannot be forgotten now, because the disk is full for example, the next start tries again.
    private func finishRemoving(_ name: String) async {
        do {
            let count = try await register.forget(name)
            logger.notice(
                "a removed delegate's outcomes are forgotten",
                metadata: [LogKey.delegate: "\(name)", LogKey.count: "\(count)"])
        } catch {
            logger.error(
                "a removed delegate's outcomes cannot be forgotten; the next start tries it again",
                metadata: [LogKey.delegate: "\(name)", LogKey.error: "\(error)"])
        }
    }

    /// The entry with a delegate that can be served, or with the problem that prevents it.
    func rebuilt(_ entry: RegisteredEntry, _ build: Build?) -> RegisteredEntry {
        var entry = entry
        do {
            entry.delegate = try build.map { (build) throws in try build(entry.configuration()) }
            entry.problem = nil
        } catch {
            entry.delegate = nil
            entry.problem = (error as? DefinitionProblems)?.problems.first?.detail ?? "\(error)"
            logger.error(
                "a registered delegate cannot be served; it is kept",
                metadata: [LogKey.delegate: "\(entry.name)", LogKey.error: "\(entry.problem ?? "")"])
        }
        return entry
    }
}

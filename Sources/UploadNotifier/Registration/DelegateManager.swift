public import Logging
import Synchronization
public import Uploads

/// The delegates: those that the configuration declares, and those that were registered at run time. Outlives the services that
/// serve them, which come and go with the broker.
///
/// A name that is in both is the configuration's; the registered one is kept and not served. Changes are made one at a time, are
/// durable before they return, and take effect between two batches of recording, so that no outcome falls between.
public final class DelegateManager: Sendable {
    /// Delegates that may be registered, those of the configuration apart: each has a loop, and series of its own in the metrics.
    public static let registeredMaximum = 500

    /// Makes what is served from what is configured.
    public typealias Build = @Sendable (DelegateConfiguration) throws(UploadError) -> RegisteredDelegate

    struct State {
        var configured: [RegisteredDelegate] = []
        var registered: [String: RegisteredEntry] = [:]
        var isLoaded = false
        var build: Build?
        var allowNetworks: [NetworkRange] = []
        var service: NotifierService?
        /// Whose backlog the metrics show.
        var shown: Set<String> = []
        /// Apps that cannot be told.
        var complained: Set<String> = []
    }

    let register: any DelegateRegister & DeliveryHistory
    let clock: NotifierClock
    let logger: Logger
    /// Changes take turns.
    let changes = AsyncLock()
    let state = Mutex(State())

    public init(register: any DelegateRegister & DeliveryHistory, clock: NotifierClock = .system, logger: Logger) {
        self.register = register
        self.clock = clock
        self.logger = logger
    }

    /// Takes the configuration over, at the start and whenever it was read anew; at first also what the ledger holds.
    /// - Parameters:
    ///   - allowNetworks: where registered webhooks may point to though it is not public.
    ///   - build: for registered delegates, with these networks.
    /// - Throws: what the ledger says.
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

    /// Makes the notifier that serves them from now on.
    public func serve(by make: ([RegisteredDelegate]) throws -> NotifierService) async rethrows -> NotifierService {
        try await changes.withLock {
            let service = try make(served)
            service.onClients { [weak self] clients in await self?.serveClients(clients) }
            state.withLock { $0.service = service }
            return service
        }
    }

    /// Nobody serves them just now.
    public func stopServing() { state.withLock { $0.service = nil } }

    /// As they are shown, by name.
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

    /// - Throws: `serverFailure` while nobody serves them.
    func service() throws(UploadError) -> DeliveryService {
        guard let service = state.withLock({ $0.service }) else {
            throw UploadError(.serverFailure, "the notifier is not at work: it waits for the broker or takes over")
        }
        return service.deliveries
    }

    /// Which outcomes a delegate that is served hears of.
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

    /// - Parameter decide: a last step before others are served, while nothing is recorded.
    func serveAll(after decide: () async throws -> Void = {}) async throws {
        guard let service = state.withLock({ $0.service }) else { return try await decide() }
        try await service.serve {
            try await decide()
            return served
        }
    }

    private func load() async throws(UploadError) {
        for registration in try await register.registrations() {
            guard registration.removedAt == nil else {
                // The notifier was stopped in the middle.
                await finishRemoving(registration.name)
                continue
            }
            let entry = RegisteredEntry(registration)
            state.withLock { $0.registered[entry.name] = entry }
        }
    }

    /// Outcomes that cannot be forgotten now, because the disk is full for example, are at the next start.
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

    /// The same with what it is served by.
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

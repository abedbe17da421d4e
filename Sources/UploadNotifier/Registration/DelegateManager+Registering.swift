import Foundation
import Logging
import Synchronization
import Uploads

/// Registers, changes and removes delegates at run time.
extension DelegateManager {
    /// The result of a removal.
    enum Removal: Hashable, Sendable {
        /// - Parameter forgotten: outcomes that the delegate had not taken and will not get.
        case removed(forgotten: Int)
        /// The delegate was kept, because this many outcomes wait for it.
        case hasBacklog(Int)
    }

    /// Registers a delegate, which gets the outcomes that are recorded from now on.
    /// - Throws: `APIProblem` or `DefinitionProblems`: the name is taken, the definition is wrong; `UploadError` of the
    ///   ledger.
    func add(_ name: String, _ definition: DelegateDefinition) async throws {
        try Self.checkNotOfClient(name)
        try await changes.withLock {
            let state = state.withLock { $0 }
            guard !state.configured.contains(where: { $0.name == name }) else {
                throw APIProblem(
                    .refused, "the notifier's configuration declares a delegate '\(name)'; take another name")
            }
            guard state.registered[name] == nil else {
                throw APIProblem(
                    .refused, "a delegate '\(name)' is registered already; change it, or take another name")
            }
            guard state.registered.keys.count(where: { !ClientDelegate.isName($0) }) < Self.registeredMaximum else {
                throw APIProblem(
                    .refused, "\(Self.registeredMaximum) delegates are registered already; remove one first")
            }
            let now = clock.now()
            let entry = try checked(RegisteredEntry(name: name, definition, at: now), state)
            // The new delegate would get the outcomes that an interrupted removal has left.
            if try await register.registrations().contains(where: { $0.name == name && $0.removedAt != nil }) {
                _ = try await register.forget(name)
            }
            try await register.register(
                DelegateRegistration(name: name, definition: try WireJSON.encode(definition), createdAt: now))
            try await take(entry)
            logger.notice(
                "delegate is registered",
                metadata: [LogKey.delegate: "\(name)", LogKey.kind: "\(entry.summary.kind)"])
        }
    }

    /// Gives a registered delegate another definition, from its next delivery on. If its failures had paused it, it is
    /// served again.
    /// - Parameter change: makes the new definition from the current one.
    func change(_ name: String, _ change: (DelegateDefinition) throws -> DelegateDefinition) async throws {
        try Self.checkNotOfClient(name)
        try await changes.withLock {
            let state = state.withLock { $0 }
            var entry = try registered(name, state)
            guard let old = entry.definition else {
                throw APIProblem(.refused, "delegate '\(name)' was registered with a newer version; change it there")
            }
            let definition = try change(old)
            entry.definition = definition
            entry.changedAt = clock.now()
            entry = try checked(entry, state)
            try await register.redefine(name, try WireJSON.encode(definition), at: entry.changedAt)
            try await take(entry)
            logger.notice("delegate is changed", metadata: [LogKey.delegate: "\(name)"])
        }
    }

    /// Removes a registered delegate, with the outcomes that wait for it.
    /// - Parameter discarding: whether to remove it though outcomes wait.
    func remove(_ name: String, discarding: Bool) async throws -> Removal {
        try await changes.withLock {
            _ = try registered(name, state.withLock { $0 })
            var backlog = 0
            var isRemoved = false
            try await serveAll {
                backlog = try await register.unregister(name, discarding: discarding, at: clock.now())
                isRemoved = backlog == 0 || discarding
                if isRemoved { _ = state.withLock { $0.registered.removeValue(forKey: name) } }
            }
            guard isRemoved else { return .hasBacklog(backlog) }
            // If the process ends here, the next start does it, or the next registration of this name.
            let forgotten = try await register.forget(name)
            logger.notice(
                "delegate is removed",
                metadata: [LogKey.delegate: "\(name)", LogKey.backlog: "\(forgotten)"])
            return .removed(forgotten: forgotten)
        }
    }

    private static func checkNotOfClient(_ name: String) throws(APIProblem) {
        guard ClientDelegate.isName(name) else { return }
        throw APIProblem(
            .refused,
            """
            names that begin with '\(ClientDelegate.prefix)' are those of apps, which are registered by their jobs and can only be \
            paused and removed; take another name
            """)
    }

    /// - Throws: `APIProblem` for a name that is not registered, and for one that the configuration holds.
    private func registered(_ name: String, _ state: State) throws(APIProblem) -> RegisteredEntry {
        guard !state.configured.contains(where: { $0.name == name }) else {
            throw APIProblem(
                .refused,
                """
                delegate '\(name)' is declared in the notifier's configuration: change delegates.\(name) there, and send the \
                notifier SIGHUP
                """)
        }
        guard let entry = state.registered[name] else {
            throw APIProblem(.notFound, "no delegate is named '\(name)'; /v1/delegates lists them")
        }
        return entry
    }

    private func checked(_ entry: RegisteredEntry, _ state: State) throws -> RegisteredEntry {
        guard let definition = entry.definition else { return entry }
        let configuration = try definition.configuration(
            named: entry.name, addresses: AddressGuard(allowed: state.allowNetworks))
        var entry = entry
        do throws(UploadError) { entry.delegate = try state.build?(configuration) } catch {
            throw DefinitionProblems("", error.message)
        }
        entry.problem = nil
        return entry
    }

    private func take(_ entry: RegisteredEntry) async throws {
        try await serveAll { state.withLock { $0.registered[entry.name] = entry } }
    }
}

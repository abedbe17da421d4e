import Logging
import Synchronization
import Uploads

/// The delegates of apps, which their jobs register.
extension DelegateManager {
    /// The most apps without a delegate that the log complains about, so that it is not flooded.
    static let complaintCountMaximum = 1000

    /// Serves the delegates that recording has registered for these apps.
    func serveClients(_ clients: Set<String>) async {
        do {
            try await changes.withLock {
                let known = Set(state.withLock { $0.registered.keys })
                let names = Set(clients.compactMap(ClientDelegate.name))
                let new = try await register.registrations().filter {
                    names.contains($0.name) && !known.contains($0.name) && $0.removedAt == nil
                }
                for registration in new {
                    let entry = rebuilt(RegisteredEntry(registration), state.withLock { $0.build })
                    state.withLock { $0.registered[entry.name] = entry }
                    logger.notice(
                        "delegate of an app is registered by its first job",
                        metadata: [LogKey.delegate: "\(entry.name)"])
                }
                if !new.isEmpty { try await serveAll() }
            }
        } catch {
            // The recorded outcomes wait, and the apps' next message tries again.
            logger.error("the delegates of apps cannot be read", metadata: [LogKey.error: "\(error)"])
            return
        }
        complain(about: clients)
    }

    private func complain(about clients: Set<String>) {
        let untold = state.withLock { state -> [String] in
            let untold = clients.filter { client in
                ClientDelegate.name(of: client).map { state.registered[$0] == nil } ?? true
            }
            let new = untold.subtracting(state.complained)
            state.complained.formUnion(new.prefix(max(0, Self.complaintCountMaximum - state.complained.count)))
            return new.filter(state.complained.contains).sorted()
        }
        for client in untold {
            logger.error(
                """
                an app gets no outcomes of its uploads: its identifier is no name of 1 to 64 of a-z, 0-9, '_' and '-', it was removed \
                just now, or \(ClientRoutes.clientCountMaximum) apps are registered already (remove delegates whose queue is no longer read)
                """, metadata: [LogKey.delegate: "\(ClientDelegate.prefix)\(client.prefix(64))"])
        }
    }
}

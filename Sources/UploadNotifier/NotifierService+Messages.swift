import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Before anything is taken: reads the control log, and repeats what a crash left owed.
    func recover() async throws(UploadError) {
        let current = try await bus.controlView()
        view.withLock { $0 = current }
        let owed = try await ledger.owed()
        guard !owed.isEmpty else { return }
        logger.notice("repeating what was noted and not confirmed", metadata: [LogKey.count: "\(owed.count)"])
        try await publish(owed)
    }

    /// One batch: the transaction, the publications, and then the acknowledgement by returning.
    func handle(_ batch: [NotifierMessage]) async throws(UploadError) {
        if batch.contains(where: \.needsControlView) {
            let current = try await bus.controlView()
            view.withLock { $0 = current }
        }
        for message in batch {
            if case .unreadable(_, let reason) = message {
                logger.error(
                    "dead letter that nobody can read; it is kept in the ledger", metadata: [LogKey.reason: "\(reason)"]
                )
            }
        }
        let owed = try await ledger.record(batch, view: view.withLock { $0 }, routes: routes, now: clock.now())
        if owed.contains(where: \.isOutcome) { deliveries.wake() }
        try await publish(owed)
    }

    private func publish(_ owed: [OwedAction]) async throws(UploadError) {
        try await gate.pass { () async throws(UploadError) in try await publisher.publish(owed) }
        for owed in owed {
            if case .append(let entry) = owed.action { view.withLock { $0.apply(entry) } }
        }
    }
}

extension NotifierMessage {
    /// Whether what follows depends on the fences: nothing on the undisturbed path does.
    var needsControlView: Bool {
        switch self {
        case .event(let event): event.kind == .suspect
        case .marker, .deadBaton: true
        case .job, .unreadable: false
        }
    }
}

extension OwedAction {
    var isOutcome: Bool { if case .outcome = action { true } else { false } }
}

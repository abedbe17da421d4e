import Uploads
import UploadsAPI

extension API.Delegate {
    /// - Parameter status: nil for a delegate that was never sent anything.
    init(_ summary: DelegateSummary, _ status: DelegateStatus?) {
        self.init(
            name: summary.name, kind: summary.kind, target: summary.target, origin: summary.origin.rawValue,
            createdAt: summary.createdAt, changedAt: summary.changedAt, types: summary.types, queues: summary.queues,
            destinations: summary.destinations, batches: summary.batches, metadata: summary.metadata,
            client: summary.client, fields: summary.fields, ordered: summary.ordered,
            concurrency: summary.concurrency, timeoutSeconds: summary.timeoutSeconds, mode: summary.mode,
            hasSecret: summary.hasSecret, oldSecretUntil: summary.oldSecretUntil,
            hidesRegistered: summary.hidesRegistered, isServed: summary.problem == nil, problem: summary.problem,
            backlog: status?.backlog ?? 0, failed: status?.failed ?? 0, isPaused: status?.pausedSince != nil,
            isHeld: status?.isHeld ?? false, pausedSince: status?.pausedSince, reason: status?.reason)
    }
}

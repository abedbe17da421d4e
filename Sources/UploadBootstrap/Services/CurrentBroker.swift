import Metrics
import Synchronization
import UploadClient
import UploadNotifier
import UploadSources
import Uploads
import UploadsRabbitMQ

/// Performs the HTTP API's broker operations over the connection that the notifier has at the moment.
final class CurrentBroker: BrokerOperations {
    private let current = Mutex<(broker: UploadBroker, notifier: NotifierService)?>(nil)
    private let namespace: String

    init(namespace: String) { self.namespace = namespace }

    /// Sets the connection and the notifier service to use from now on; without a service, operations fail until the next call.
    func serve(_ broker: UploadBroker, _ notifier: NotifierService?) {
        current.withLock { $0 = notifier.map { (broker, $0) } }
    }

    func order(_ order: UploadOrder, patience: Duration?) async throws(UploadError) -> OrderAnswer? {
        try await serving().broker.order(order, patience: patience)
    }

    func id(of idempotencyKey: String, in queue: QueueName) -> JobID {
        JobID(namespace: namespace, queue: queue, idempotencyKey: idempotencyKey)
    }

    func enqueue(
        _ job: UploadJob, maybeRepeated: Bool, within limit: Duration, trace: TraceParent?
    ) async throws(UploadError) {
        let broker = try serving().broker
        let deadline = ContinuousClock.now + limit
        try await TimeLimit.within(limit) { () throws(UploadError) in
            try await broker.submitter(for: job.queue)
                .submit(
                    job, maybeRepeated: maybeRepeated, within: max(.zero, deadline - .now), traceParent: trace)
        }
    }

    func replay(_ letter: UnreadableMessage) async throws(UploadError) -> String {
        try await serving().broker.replay(letter)
    }

    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try await serving().broker.depths(of: queues)
    }

    func controlView() async throws(UploadError) -> ControlView { try await serving().notifier.controlView() }

    /// Whether this notifier works: it has the namespace and, of several notifiers, at least one shard.
    var isActive: Bool {
        guard let notifier = current.withLock({ $0 })?.notifier else { return false }
        return !notifier.isSuperseded && !notifier.standsBy
    }

    /// Updates the gauge of a notifier that works. Call it before the metrics are read.
    static func show(isActive: Bool) { Meter(label: "upload_notifier_active").set(isActive ? 1 : 0) }

    private func serving() throws(UploadError) -> (broker: UploadBroker, notifier: NotifierService) {
        guard let current = current.withLock({ $0 }) else {
            throw UploadError(
                .networkFailure, "the notifier has no connection to the broker yet; /readyz says what it waits for")
        }
        return current
    }
}

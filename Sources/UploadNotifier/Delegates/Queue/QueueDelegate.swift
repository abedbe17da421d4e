import Foundation
public import Uploads

/// Publishes outcomes to a durable queue of its own on the broker, each a CloudEvent in structured JSON mode, for a program that may be away
/// for a while and still misses nothing.
public final class QueueDelegate: CompletionDelegate {
    public let name: String
    private let timeout: TimeInterval
    private let mapping: FieldMapping?
    private let queues: any DelegateQueues

    public init(
        name: String, _ configuration: QueueConfiguration = QueueConfiguration(), mapping: FieldMapping? = nil,
        queues: any DelegateQueues
    ) {
        self.name = name
        self.timeout = configuration.timeout
        self.mapping = mapping
        self.queues = queues
    }

    @discardableResult
    public func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        let body = try EventPayload(event, mapping: mapping).structured()
        let (name, queues) = (name, queues)
        // The header names the delivery, and the body what the event is of.
        var delivered = event
        delivered.trace = event.deliveryTrace
        do {
            try await withTimeLimit(timeout) { [delivered] in try await queues.put(body, of: delivered, into: name) }
        } catch let error as UploadError {
            throw error
        } catch is CancellationError {
            throw UploadError(.interrupted, "the notifier stopped during a delivery to queue '\(name)'")
        } catch {
            throw UploadError(
                .networkFailure, "the broker did not confirm an outcome for queue '\(name)' within \(Int(timeout)) s",
                retry: .afterBackoff, cause: error)
        }
        return nil
    }
}

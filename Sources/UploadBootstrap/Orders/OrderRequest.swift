public import Foundation
public import Uploads

/// What `uploadctl` is asked to order.
public struct OrderRequest: Sendable {
    /// How long the notifier's answer is waited for: 5 s.
    public static let patience: TimeInterval = 5

    public var command: UploadOrder.Command
    /// Seconds; nil does not wait.
    public var patience: TimeInterval?
    public var printsJSON: Bool
    /// Say what would be ordered, and stop.
    public var isDryRun: Bool

    public init(
        _ command: UploadOrder.Command, patience: TimeInterval? = OrderRequest.patience, printsJSON: Bool = false,
        isDryRun: Bool = false
    ) {
        self.command = command
        self.patience = patience
        self.printsJSON = printsJSON
        self.isDryRun = isDryRun
    }
}

extension OrderRequest {
    /// Transfer queues that it names as its objects.
    var queues: [QueueName] {
        switch command {
        case .stopQueues(let queues), .startQueues(let queues): queues
        case .jobs, .matching, .move, .sweepDestination, .sweepStaging, .ask: []
        }
    }
}

public import Foundation
public import Uploads

/// An order that `uploadctl` is to send, with the options of the command.
public struct OrderRequest: Sendable {
    /// The usual time to wait for the notifier's answer: 5 s.
    public static let patience: TimeInterval = 5

    public var command: UploadOrder.Command
    /// The seconds to wait for the notifier's answer; nil does not wait.
    public var patience: TimeInterval?
    public var format: OutputFormat
    /// Print what would be ordered, and stop.
    public var isDryRun: Bool

    public init(
        _ command: UploadOrder.Command, patience: TimeInterval? = OrderRequest.patience, format: OutputFormat = .table,
        isDryRun: Bool = false
    ) {
        self.command = command
        self.patience = patience
        self.format = format
        self.isDryRun = isDryRun
    }
}

extension OrderRequest {
    /// The transfer queues that the order stops or starts.
    var queues: [QueueName] {
        switch command {
        case .stopQueues(let queues), .startQueues(let queues): queues
        case .jobs, .matching, .move, .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging, .ask: []
        }
    }

    /// The workers that the order drains or resumes, as the user named them.
    var workers: [String] {
        switch command {
        case .drainWorkers(let workers), .resumeWorkers(let workers): workers
        case .jobs, .matching, .move, .stopQueues, .startQueues, .sweepDestination, .sweepStaging, .ask: []
        }
    }

    /// The same request with the workers' whole names.
    func naming(_ workers: [String]) -> OrderRequest {
        var request = self
        switch command {
        case .drainWorkers: request.command = .drainWorkers(workers)
        case .resumeWorkers: request.command = .resumeWorkers(workers)
        default: break
        }
        return request
    }
}

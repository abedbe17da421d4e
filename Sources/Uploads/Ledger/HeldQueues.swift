/// Transfer queues of which jobs are held, as far as the ledger was looked through.
public struct HeldQueues: Hashable, Sendable {
    /// Those that have a job whose time has come.
    public var due: [QueueName]
    /// The queue behind which to go on; nil when none is left.
    public var next: QueueName?

    public init(due: [QueueName], next: QueueName?) {
        self.due = due
        self.next = next
    }
}

import Uploads

extension QueueConfiguration: DelegateKind {
    public static let kindName = "queue"
    static let usualConcurrency = 64
    static let schedule = DeliverySchedule.steady

    func delegate(_ context: DelegateContext) throws(UploadError) -> any CompletionDelegate {
        guard let queues = context.queues else {
            throw UploadError(
                .misconfigured, "delegate '\(context.name)' is a queue, and there is no broker to hold it")
        }
        return QueueDelegate(name: context.name, self, mapping: context.mapping, queues: queues)
    }

    func describe(in summary: inout DelegateSummary) { summary.timeoutSeconds = timeout }
}

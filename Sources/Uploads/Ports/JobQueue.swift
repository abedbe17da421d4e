/// Where batons come from.
public protocol JobQueue: Sendable {
    /// Takes deliveries and settles what the handler returns until `drain` is called or the task is cancelled.
    /// Returns when every delivery that it took is settled, acknowledgements included.
    func consume(_ handler: any JobHandler) async throws(UploadError)

    /// Stops taking. What was delivered is still handed to the handler, which hands over what it has not started.
    func drain() async
}

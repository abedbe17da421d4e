public import Uploads

/// Gets the events of a ``TransferQueue``, one after the other, in their order. Every method has a default that does
/// nothing.
///
/// Workers do the work elsewhere, and the queue calls the delegate when it learns of it. So `will` and `did` come
/// directly one after the other.
public protocol TransferQueueDelegate: Sendable {
    func transferQueue(_ queue: TransferQueue, didAdd session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, didRemove session: TransferSession, at index: Int) async
    /// The session's turn comes.
    func transferQueue(_ queue: TransferQueue, willActivate session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, didActivate session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, willStartRunning session: TransferSession, at index: Int) async
    /// A worker sends the session's files. Not called for a session that fails before that.
    func transferQueue(_ queue: TransferQueue, didStartRunning session: TransferSession, at index: Int) async
    /// More bytes have arrived, at most once a second for each file.
    func transferQueue(_ queue: TransferQueue, didProgress session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, willStopRunning session: TransferSession, at index: Int) async
    /// No worker sends the session's files: before another try, between two files, and at its end.
    func transferQueue(_ queue: TransferQueue, didStopRunning session: TransferSession, at index: Int) async
    func transferQueue(
        _ queue: TransferQueue, didFail session: TransferSession, at index: Int, with error: UploadError) async
    func transferQueue(_ queue: TransferQueue, didFinish session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, didCancel session: TransferSession, at index: Int) async
    func transferQueue(_ queue: TransferQueue, willDeactivate session: TransferSession, at index: Int) async
    /// The session's turn is over, for good or until it comes again.
    func transferQueue(_ queue: TransferQueue, didDeactivate session: TransferSession, at index: Int) async
    /// Any other visible change of the session, for example that it was paused.
    func transferQueue(_ queue: TransferQueue, didChange session: TransferSession, at index: Int) async
}

extension TransferQueueDelegate {
    public func transferQueue(_ queue: TransferQueue, didAdd session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didRemove session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, willActivate session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didActivate session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, willStartRunning session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didStartRunning session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didProgress session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, willStopRunning session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didStopRunning session: TransferSession, at index: Int) async {}
    public func transferQueue(
        _ queue: TransferQueue, didFail session: TransferSession, at index: Int, with error: UploadError
    ) async {}
    public func transferQueue(_ queue: TransferQueue, didFinish session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didCancel session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, willDeactivate session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didDeactivate session: TransferSession, at index: Int) async {}
    public func transferQueue(_ queue: TransferQueue, didChange session: TransferSession, at index: Int) async {}
}

extension TransferQueueEvent {
    func tell(_ delegate: any TransferQueueDelegate, of queue: TransferQueue) async {
        switch kind {
        case .added: await delegate.transferQueue(queue, didAdd: session, at: index)
        case .removed: await delegate.transferQueue(queue, didRemove: session, at: index)
        case .willActivate: await delegate.transferQueue(queue, willActivate: session, at: index)
        case .didActivate: await delegate.transferQueue(queue, didActivate: session, at: index)
        case .willStartRunning: await delegate.transferQueue(queue, willStartRunning: session, at: index)
        case .didStartRunning: await delegate.transferQueue(queue, didStartRunning: session, at: index)
        case .progress: await delegate.transferQueue(queue, didProgress: session, at: index)
        case .willStopRunning: await delegate.transferQueue(queue, willStopRunning: session, at: index)
        case .didStopRunning: await delegate.transferQueue(queue, didStopRunning: session, at: index)
        case .failed:
            let error = session.failure ?? UploadError(.unknown, "the session failed without a reason")
            await delegate.transferQueue(queue, didFail: session, at: index, with: error)
        case .finished: await delegate.transferQueue(queue, didFinish: session, at: index)
        case .cancelled: await delegate.transferQueue(queue, didCancel: session, at: index)
        case .willDeactivate: await delegate.transferQueue(queue, willDeactivate: session, at: index)
        case .didDeactivate: await delegate.transferQueue(queue, didDeactivate: session, at: index)
        case .changed: await delegate.transferQueue(queue, didChange: session, at: index)
        }
    }
}

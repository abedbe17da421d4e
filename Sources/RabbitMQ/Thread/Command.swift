/// A request of a task to the connection's thread.
enum Command: Sendable {
    case publish(PublishRequest)
    case settle(channel: UInt64, incarnation: UInt64, tag: UInt64, Settling)
    case openChannel(UInt64, Promise<Void>)
    case closeChannel(UInt64, Promise<Void>)
    case consume(channel: UInt64, ConsumerCore, Promise<Void>)
    case cancel(channel: UInt64, ConsumerCore, Promise<Void>)
    case get(channel: UInt64, queue: String, Promise<Delivery?>)
    case purge(channel: UInt64, queue: String, Promise<UInt32>)
    case count(channel: UInt64, queue: String, Promise<QueueDepth>)
    case check(channel: UInt64, exchange: String, Promise<Void>)
    case define(Topology, Declaring, Promise<Void>)
    case checkObjects(exchanges: [String], queues: [String], Promise<Void>)
    case delete(Topology, Promise<Void>)
    /// Closes in order, after everything that is under way.
    case close
    /// Cuts at once: the last handle is gone.
    case abandon

    /// Which objects of a topology are declared now. All are declared again after a reconnect.
    enum Declaring: Sendable {
        /// Those that the connection has not declared yet.
        case missing
        case all
        case none
    }

    enum Settling: Sendable {
        case acknowledge
        case reject(requeue: Bool)
    }

    /// Fails the waiting caller without running the command.
    func fail(_ error: RabbitMQError) {
        switch self {
        case .publish(let request): request.promise?.fail(error)
        case .openChannel(_, let promise), .closeChannel(_, let promise), .consume(_, _, let promise),
            .cancel(_, _, let promise), .define(_, _, let promise), .checkObjects(_, _, let promise),
            .delete(_, let promise):
            promise.fail(error)
        case .get(_, _, let promise): promise.fail(error)
        case .purge(_, _, let promise): promise.fail(error)
        case .count(_, _, let promise): promise.fail(error)
        case .check(_, _, let promise): promise.fail(error)
        case .settle, .close, .abandon: break
        }
    }
}

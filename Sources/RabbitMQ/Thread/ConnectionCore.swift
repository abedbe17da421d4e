import Logging
import Synchronization

/// The state that the handles and the connection's thread share.
final class ConnectionCore: Sendable {
    let configuration: ConnectionConfiguration
    let logger: Logger
    let inbox: Inbox
    let epoch = Atomic<UInt64>(0)
    let opened = Promise<Void>()
    /// Fires when the thread has ended.
    let ended = Signal()
    let states = StateBroadcaster()
    /// Why there is no connection; nil while there is one.
    let failure = Mutex<RabbitMQError?>(nil)
    private let lastID = Atomic<UInt64>(0)

    init(_ configuration: ConnectionConfiguration, logger: Logger) throws(RabbitMQError) {
        self.configuration = configuration
        self.logger = logger
        self.inbox = try Inbox()
    }

    /// A number that is unique within the connection.
    func makeID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    /// Hands a command to the thread and waits for its result.
    func ask<Value: Sendable>(_ make: (Promise<Value>) -> Command) async throws(RabbitMQError) -> Value {
        try await begin(make).value()
    }

    /// Hands a command to the thread, behind all earlier commands.
    func begin<Value: Sendable>(_ make: (Promise<Value>) -> Command) -> Promise<Value> {
        let promise = Promise<Value>()
        if !inbox.send(make(promise)) { promise.fail(Self.closed) }
        return promise
    }

    static var closed: RabbitMQError {
        RabbitMQError(.closed, "the connection was closed by this program")
    }

    static var notConnected: RabbitMQError {
        RabbitMQError(.notConnected, "not connected to the broker just now; nothing was sent: try again later")
    }
}

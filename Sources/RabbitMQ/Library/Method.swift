import CRabbitMQ

/// The methods that are sent to the broker, except publishes.
enum Method {
    case openChannel
    case closeChannel
    case selectConfirms
    case prefetch(UInt16)
    case consume(ConsumerCore)
    case cancel(consumerTag: String)
    case get(queue: String)
    case purge(queue: String)
    case countMessages(queue: String)
    case checkExchange(String)
    case declareExchange(Exchange)
    case declareQueue(Queue)
    case bind(Binding)
    case unbind(Binding)
    case deleteQueue(String)
    case deleteExchange(String)
    // Without an answer:
    case acknowledge(UInt64, multiple: Bool)
    case reject(UInt64, requeue: Bool)
    case confirmChannelClosed
    case confirmConsumerCancelled(consumerTag: String)
    case closeConnection
    case confirmConnectionClosed

    /// The number of the answer (of one of them, for `get`), 0 if there is none.
    var answer: amqp_method_number_t {
        switch self {
        case .openChannel: AMQP_CHANNEL_OPEN_OK_METHOD
        case .closeChannel: AMQP_CHANNEL_CLOSE_OK_METHOD
        case .selectConfirms: AMQP_CONFIRM_SELECT_OK_METHOD
        case .prefetch: AMQP_BASIC_QOS_OK_METHOD
        case .consume: AMQP_BASIC_CONSUME_OK_METHOD
        case .cancel: AMQP_BASIC_CANCEL_OK_METHOD
        case .get: AMQP_BASIC_GET_EMPTY_METHOD
        case .purge: AMQP_QUEUE_PURGE_OK_METHOD
        case .countMessages, .declareQueue: AMQP_QUEUE_DECLARE_OK_METHOD
        case .checkExchange, .declareExchange: AMQP_EXCHANGE_DECLARE_OK_METHOD
        case .bind(let binding): binding.isToQueue ? AMQP_QUEUE_BIND_OK_METHOD : AMQP_EXCHANGE_BIND_OK_METHOD
        case .unbind(let binding): binding.isToQueue ? AMQP_QUEUE_UNBIND_OK_METHOD : AMQP_EXCHANGE_UNBIND_OK_METHOD
        case .deleteQueue: AMQP_QUEUE_DELETE_OK_METHOD
        case .deleteExchange: AMQP_EXCHANGE_DELETE_OK_METHOD
        case .acknowledge, .reject, .confirmChannelClosed, .confirmConsumerCancelled, .closeConnection,
            .confirmConnectionClosed:
            0
        }
    }

    static let publishNumber: amqp_method_number_t = AMQP_BASIC_PUBLISH_METHOD

    /// The method's own number, for methods that have an answer.
    var number: amqp_method_number_t {
        switch self {
        case .get: AMQP_BASIC_GET_METHOD
        case .unbind(let binding) where !binding.isToQueue: AMQP_EXCHANGE_UNBIND_METHOD
        default: answer == 0 ? 0 : answer - 1
        }
    }

    var isConsume: Bool {
        if case .consume = self { true } else { false }
    }

    /// Whether no method may be sent behind this one before it is answered. RabbitMQ may answer a later method first:
    /// it sends the answers that begin and end a consumer to the channel's process as a message of its own
    /// (`rabbit_channel:send_command`), behind the methods that have arrived by then. And after a channel's end there
    /// is no channel.
    var holdsBackOthers: Bool {
        switch self {
        case .consume, .cancel, .closeChannel: true
        default: false
        }
    }

    /// The action in words, for messages.
    var subject: String {
        switch self {
        case .openChannel: "opening a channel"
        case .closeChannel: "closing a channel"
        case .selectConfirms: "switching on publisher confirms"
        case .prefetch: "setting the prefetch"
        case .consume(let consumer): "consuming from queue '\(consumer.queue)'"
        case .cancel: "cancelling a consumer"
        case .get(let queue): "getting from queue '\(queue)'"
        case .purge(let queue): "purging queue '\(queue)'"
        case .countMessages(let queue): "asking about queue '\(queue)'"
        case .checkExchange(let name): "asking about exchange '\(name)'"
        case .declareExchange(let exchange): "declaring exchange '\(exchange.name)'"
        case .declareQueue(let queue): "declaring queue '\(queue.name)'"
        case .bind(let binding): "binding \(binding.destinationDescription) to exchange '\(binding.source)'"
        case .unbind(let binding): "unbinding \(binding.destinationDescription) from exchange '\(binding.source)'"
        case .deleteQueue(let name): "deleting queue '\(name)'"
        case .deleteExchange(let name): "deleting exchange '\(name)'"
        case .acknowledge, .reject, .confirmChannelClosed, .confirmConsumerCancelled: "settling a delivery"
        case .closeConnection, .confirmConnectionClosed: "closing the connection"
        }
    }
}

extension Binding {
    var isToQueue: Bool {
        if case .queue = destination { true } else { false }
    }

    var destinationDescription: String {
        switch destination {
        case .queue(let name): "queue '\(name)'"
        case .exchange(let name): "exchange '\(name)'"
        }
    }
}

extension Topology {
    var declarations: [Method] {
        exchanges.map(Method.declareExchange) + queues.map(Method.declareQueue) + bindings.map(Method.bind)
    }

    var deletions: [Method] {
        bindings.map(Method.unbind) + queues.map { .deleteQueue($0.name) } + exchanges.map { .deleteExchange($0.name) }
    }
}

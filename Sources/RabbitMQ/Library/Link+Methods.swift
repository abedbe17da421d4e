import CRabbitMQ

extension Link {
    /// Sends one method. - Throws: `.invalidArgument` if it does not fit in a frame; nothing was sent then.
    func send(_ method: Method, channel: UInt16) throws(RabbitMQError) {
        defer { recycle() }
        let encoder = self.encoder
        func send<Arguments: BitwiseCopyable>(
            _ number: amqp_method_number_t, _ arguments: Arguments
        ) throws(RabbitMQError) {
            var arguments = arguments
            try sendRaw(number, &arguments, channel: channel, subject: method.subject)
        }

        switch method {
        case .openChannel:
            try send(AMQP_CHANNEL_OPEN_METHOD, amqp_channel_open_t())
        case .closeChannel:
            var close = amqp_channel_close_t()
            close.reply_code = 200
            try send(AMQP_CHANNEL_CLOSE_METHOD, close)
        case .selectConfirms:
            try send(AMQP_CONFIRM_SELECT_METHOD, amqp_confirm_select_t())
        case .prefetch(let count):
            var qos = amqp_basic_qos_t()
            qos.prefetch_count = count
            try send(AMQP_BASIC_QOS_METHOD, qos)
        case .consume(let consumer):
            var consume = amqp_basic_consume_t()
            consume.queue = encoder.bytes(consumer.queue)
            consume.consumer_tag = encoder.bytes(consumer.tag)
            consume.exclusive = consumer.isExclusive ? 1 : 0
            consume.arguments = encoder.table(consumer.currentArguments)
            try send(AMQP_BASIC_CONSUME_METHOD, consume)
        case .cancel(let tag):
            var cancel = amqp_basic_cancel_t()
            cancel.consumer_tag = encoder.bytes(tag)
            try send(AMQP_BASIC_CANCEL_METHOD, cancel)
        case .get(let queue):
            var get = amqp_basic_get_t()
            get.queue = encoder.bytes(queue)
            try send(AMQP_BASIC_GET_METHOD, get)
        case .purge(let queue):
            var purge = amqp_queue_purge_t()
            purge.queue = encoder.bytes(queue)
            try send(AMQP_QUEUE_PURGE_METHOD, purge)
        case .countMessages(let queue):
            var declare = amqp_queue_declare_t()
            declare.queue = encoder.bytes(queue)
            declare.passive = 1
            try send(AMQP_QUEUE_DECLARE_METHOD, declare)
        case .checkExchange(let name):
            var declare = amqp_exchange_declare_t()
            declare.exchange = encoder.bytes(name)
            declare.passive = 1
            try send(AMQP_EXCHANGE_DECLARE_METHOD, declare)
        case .declareExchange(let exchange):
            var declare = amqp_exchange_declare_t()
            declare.exchange = encoder.bytes(exchange.name)
            declare.type = encoder.bytes(exchange.kind.rawValue)
            declare.durable = exchange.durable ? 1 : 0
            declare.auto_delete = exchange.autoDelete ? 1 : 0
            declare.`internal` = exchange.internal ? 1 : 0
            declare.arguments = encoder.table(exchange.arguments)
            try send(AMQP_EXCHANGE_DECLARE_METHOD, declare)
        case .declareQueue(let queue):
            var declare = amqp_queue_declare_t()
            declare.queue = encoder.bytes(queue.name)
            declare.durable = queue.durable ? 1 : 0
            declare.exclusive = queue.exclusive ? 1 : 0
            declare.auto_delete = queue.autoDelete ? 1 : 0
            declare.arguments = encoder.table(queue.arguments)
            try send(AMQP_QUEUE_DECLARE_METHOD, declare)
        case .bind(let binding):
            switch binding.destination {
            case .queue(let name):
                var bind = amqp_queue_bind_t()
                bind.queue = encoder.bytes(name)
                bind.exchange = encoder.bytes(binding.source)
                bind.routing_key = encoder.bytes(binding.routingKey)
                bind.arguments = encoder.table(binding.arguments)
                try send(AMQP_QUEUE_BIND_METHOD, bind)
            case .exchange(let name):
                var bind = amqp_exchange_bind_t()
                bind.destination = encoder.bytes(name)
                bind.source = encoder.bytes(binding.source)
                bind.routing_key = encoder.bytes(binding.routingKey)
                bind.arguments = encoder.table(binding.arguments)
                try send(AMQP_EXCHANGE_BIND_METHOD, bind)
            }
        case .unbind(let binding):
            switch binding.destination {
            case .queue(let name):
                var unbind = amqp_queue_unbind_t()
                unbind.queue = encoder.bytes(name)
                unbind.exchange = encoder.bytes(binding.source)
                unbind.routing_key = encoder.bytes(binding.routingKey)
                unbind.arguments = encoder.table(binding.arguments)
                try send(AMQP_QUEUE_UNBIND_METHOD, unbind)
            case .exchange(let name):
                var unbind = amqp_exchange_unbind_t()
                unbind.destination = encoder.bytes(name)
                unbind.source = encoder.bytes(binding.source)
                unbind.routing_key = encoder.bytes(binding.routingKey)
                unbind.arguments = encoder.table(binding.arguments)
                try send(AMQP_EXCHANGE_UNBIND_METHOD, unbind)
            }
        case .deleteQueue(let name):
            var delete = amqp_queue_delete_t()
            delete.queue = encoder.bytes(name)
            try send(AMQP_QUEUE_DELETE_METHOD, delete)
        case .deleteExchange(let name):
            var delete = amqp_exchange_delete_t()
            delete.exchange = encoder.bytes(name)
            try send(AMQP_EXCHANGE_DELETE_METHOD, delete)
        case .acknowledge(let tag, let multiple):
            try send(AMQP_BASIC_ACK_METHOD, amqp_basic_ack_t(delivery_tag: tag, multiple: multiple ? 1 : 0))
        case .reject(let tag, let requeue):
            try send(AMQP_BASIC_REJECT_METHOD, amqp_basic_reject_t(delivery_tag: tag, requeue: requeue ? 1 : 0))
        case .confirmChannelClosed:
            try send(AMQP_CHANNEL_CLOSE_OK_METHOD, amqp_channel_close_ok_t())
        case .confirmConsumerCancelled(let tag):
            try send(AMQP_BASIC_CANCEL_OK_METHOD, amqp_basic_cancel_ok_t(consumer_tag: encoder.bytes(tag)))
        case .closeConnection:
            var close = amqp_connection_close_t()
            close.reply_code = 200
            try send(AMQP_CONNECTION_CLOSE_METHOD, close)
        case .confirmConnectionClosed:
            try send(AMQP_CONNECTION_CLOSE_OK_METHOD, amqp_connection_close_ok_t())
        }
    }
}

import Foundation

/// The limits of the protocol: short strings have at most 255 bytes, and the library cuts longer ones off silently.
enum Names {
    static let bytesMaximum = 255
    /// How deep tables and arrays may nest below the headers. The protocol sets no bound.
    static let depthMaximum = 32

    static func check(_ name: String, _ what: String) throws(RabbitMQError) {
        guard name.utf8.count <= bytesMaximum else {
            throw RabbitMQError(
                .invalidArgument, "the \(what) has \(name.utf8.count) bytes: at most \(bytesMaximum) can be sent")
        }
    }

    static func check(_ table: Table, depth: Int = 0) throws(RabbitMQError) {
        guard depth <= depthMaximum else {
            throw RabbitMQError(.invalidArgument, "a table is nested more than \(depthMaximum) deep")
        }
        for (key, value) in table {
            try check(key, "key of a header or argument")
            try check(value, depth: depth)
        }
    }

    private static func check(_ value: FieldValue, depth: Int) throws(RabbitMQError) {
        switch value {
        case .table(let table): try check(table, depth: depth + 1)
        case .array(let values):
            guard depth < depthMaximum else {
                throw RabbitMQError(.invalidArgument, "an array is nested more than \(depthMaximum) deep")
            }
            for value in values { try check(value, depth: depth + 1) }
        default: break
        }
    }
}

extension Message {
    func validate() throws(RabbitMQError) {
        try Names.check(headers)
        try check(contentType, "content type")
        try check(contentEncoding, "content encoding")
        try check(correlationID, "correlation id")
        try check(replyTo, "reply-to")
        try check(expiration, "expiration")
        try check(messageID, "message id")
        try check(type, "type")
        try check(userID, "user id")
        try check(appID, "app id")
    }

    private func check(_ value: String?, _ what: String) throws(RabbitMQError) {
        if let value { try Names.check(value, what) }
    }
}

extension Topology {
    func validate() throws(RabbitMQError) {
        for exchange in exchanges {
            try Names.check(exchange.name, "exchange")
            try Names.check(exchange.kind.rawValue, "kind of exchange")
            try Names.check(exchange.arguments)
        }
        for queue in queues {
            try Names.check(queue.name, "queue")
            try Names.check(queue.arguments)
        }
        for binding in bindings {
            try Names.check(binding.source, "exchange")
            try Names.check(binding.routingKey, "routing key")
            try Names.check(binding.arguments)
            switch binding.destination {
            case .queue(let name): try Names.check(name, "queue")
            case .exchange(let name): try Names.check(name, "exchange")
            }
        }
    }
}

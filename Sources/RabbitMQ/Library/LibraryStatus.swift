import CRabbitMQ

/// Maps the library's status codes (amqp_status_enum in amqp.h) and the broker's reply codes (AMQP 0-9-1, section 1.2).
enum LibraryStatus {
    /// The error for a failed call on an open connection. Every failure ends the connection, except a value that was
    /// too big.
    static func error(_ status: CInt, _ what: String) -> RabbitMQError {
        let text = String(cString: amqp_error_string2(status))
        switch status {
        case AMQP_STATUS_TABLE_TOO_BIG.rawValue:
            return RabbitMQError(
                .invalidArgument, "\(what): headers or arguments are too big for one frame: make them smaller")
        case AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue:
            return RabbitMQError(.connectionLost, "the broker was silent for two heartbeats while \(what)")
        case AMQP_STATUS_BAD_AMQP_DATA.rawValue, AMQP_STATUS_UNKNOWN_CLASS.rawValue,
            AMQP_STATUS_UNKNOWN_METHOD.rawValue:
            return RabbitMQError(.connectionLost, "the connection was given up while \(what): \(text)")
        default:
            return RabbitMQError(.connectionLost, "the connection was lost while \(what): \(text)")
        }
    }

    /// The error for a failure to connect.
    static func connectError(_ status: CInt, _ address: BrokerAddress) -> RabbitMQError {
        let text = String(cString: amqp_error_string2(status))
        switch status {
        case AMQP_STATUS_TIMEOUT.rawValue:
            return RabbitMQError(.timedOut, "\(address) did not answer in time: check host, port and firewall")
        case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue:
            return RabbitMQError(.connectionRefused, "the host of \(address) is not known: check its name")
        default:
            return RabbitMQError(
                .connectionRefused, "\(address) cannot be reached (\(text)): check that the broker is running there")
        }
    }

    /// The code of an error for which the broker closed a channel.
    static func code(forReply reply: Int) -> RabbitMQError.Code {
        switch reply {
        case 403: .accessRefused
        case 404: .notFound
        case 405: .resourceLocked
        case 406: .preconditionFailed
        default: .channelClosed
        }
    }

    /// The code of an error for which the broker closed a channel on which one publish was unconfirmed.
    static func code(ofRefusedPublish reply: Int) -> RabbitMQError.Code {
        switch reply {
        case 403: .accessRefused
        case 404: .notFound
        // 406 for a message that is too large, or whose properties do not fit; 311 in the specification.
        default: .messageRefused
        }
    }
}

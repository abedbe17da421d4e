import RabbitMQ
import Uploads

extension UploadError {
    /// The meaning of a broker's error for the caller of an upload. Each code is mapped here, once.
    init(_ error: RabbitMQError, doing what: String, file: String = #fileID, line: Int = #line) {
        // nil if the client's own message ends with a remedy.
        let (code, remedy): (Code, String?) =
            switch error.code {
            case .loginRefused: (.wrongCredentials, nil)
            case .accessRefused:
                (
                    .accessDenied,
                    "give the broker's user the permissions that its program needs: see Operating, 'The broker'"
                )
            case .tlsFailed, .invalidURL, .invalidArgument: (.misconfigured, nil)
            case .preconditionFailed where error.message.contains("inequivalent arg 'alternate-exchange'"):
                (
                    .misconfigured,
                    "the namespace has another number of shards (configure the same for all programs), or it was made by an earlier "
                        + "version ('uploadctl topology migrate' moves it)"
                )
            // 406 has more than one meaning, and the broker's text says which.
            case .preconditionFailed where error.message.contains("inequivalent arg"):
                (
                    .misconfigured,
                    "it was declared with other arguments, by another version perhaps: 'uploadctl topology check' names what differs; use "
                        + "another namespace, or let its queues run empty before you delete it"
                )
            case .preconditionFailed where error.message.contains("limit in "):
                (.serverFailure, "raise that limit at the broker")
            case .preconditionFailed: (.misconfigured, nil)
            case .messageRefused:
                (
                    .rejected,
                    "the broker takes no such message: make it smaller (less metadata, say), or raise max_message_size there"
                )
            case .connectionRefused, .timedOut: (.networkFailure, nil)
            case .connectionLost, .notConnected, .channelClosed, .consumerCancelled, .closed:
                (.networkFailure, "it can be repeated when the broker is back")
            case .returned, .notFound: (.serverFailure, "the broker's objects were deleted; they are declared again")
            case .nacked, .resourceLocked:
                (.serverFailure, "look for full queues, disks and memory alarms at the broker")
            case .cancelled: (.interrupted, nil)
            case .frameError: (.invalidResponse, "check that an AMQP 0-9-1 broker listens there")
            default: (.unknown, "see the broker's log")
            }
        self.init(
            code, "\(what): \(error.message)" + (remedy.map { "; \($0)" } ?? ""),
            retry: error.isRetryable ? .afterBackoff : nil, cause: error, file: file,
            line: line)
    }
}

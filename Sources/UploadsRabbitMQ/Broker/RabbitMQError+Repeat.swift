import RabbitMQ

extension RabbitMQError {
    /// The meaning of this failure of a repeat, published alone, for a message whose first try was lost with its
    /// channel.
    ///
    /// The broker refuses a message for its size or its properties at every try, so it has not taken the first try
    /// either. The same holds for a permission when the channel was closed for a missing permission. Other failures (an
    /// exchange that was deleted in between, a full queue, a lost connection) say nothing about the first try.
    func ofRepeat(after first: RabbitMQError) -> RabbitMQError {
        var error = self
        switch code {
        case .messageRefused: error.isOutcomeUnknown = false
        case .accessRefused: error.isOutcomeUnknown = replyCode == nil || replyCode != first.replyCode
        default: error.isOutcomeUnknown = true
        }
        return error
    }
}

import RabbitMQ

/// How a delivery is settled.
enum DeliveryEnd: Sendable {
    /// What it brought about is confirmed.
    case acknowledge
    /// It cannot be worked on, and no dead letter of it can be published: the broker moves it to the dead-letter queue as it is.
    case reject
    /// It is no longer held, or this program ends: the broker delivers it again.
    case leave
}

extension Consumer {
    /// Settles a delivery while it is held.
    func settle(_ delivery: Delivery, _ end: DeliveryEnd, _ tenure: Tenure) {
        // Rule 9: epoch and lock. Only a delivery of the current connection can be settled.
        guard tenure.holds else { return }
        switch end {
        case .acknowledge: acknowledge(delivery)
        case .reject: reject(delivery, requeue: false)
        case .leave: break
        }
    }
}

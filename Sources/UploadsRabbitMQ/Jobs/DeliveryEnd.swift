import RabbitMQ

/// How a delivery is settled.
enum DeliveryEnd: Sendable {
    /// Its results are confirmed.
    case acknowledge
    /// No slice can work on it, and no dead letter of it can be published: the broker moves it to the dead-letter queue
    /// as it is.
    case reject
    /// This program no longer holds it, or is ending: the broker delivers it again.
    case leave
}

extension Channel {
    /// Settles a delivery if this program still holds it.
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

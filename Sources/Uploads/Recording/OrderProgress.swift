/// The progress of an order, as JSON in a ledger.
package struct OrderProgress: Codable, Hashable, Sendable {
    /// The answer so far.
    package var answer: OrderAnswer
    /// For an order with a filter: the last job that was handled, or looked at.
    package var after: JobID?
    package var isDone = false

    package init(_ answer: OrderAnswer) { self.answer = answer }

    mutating func add(_ jobs: [OrderAnswer.Job]) { answer.add(jobs) }

    mutating func finish(count: Int) {
        answer.matched = min(count, WireLimits.countMaximum)
        answer.done = answer.matched
        isDone = true
    }
}

extension UploadOrder {
    /// The order in the form in which it is kept: a completed order to forget no longer names its batch or its text.
    func kept(isDone: Bool) -> UploadOrder {
        guard isDone, case .matching(.forget, let filter, let atMost) = command else { return self }
        var order = self
        order.command = .matching(.forget, filter.forgotten, atMost: atMost)
        return order
    }
}

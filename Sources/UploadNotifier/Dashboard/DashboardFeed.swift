import Uploads

/// Makes the model of the current page once for all its viewers, and only when one of them asks.
actor DashboardFeed {
    /// The facts that only the broker knows; nil while the notifier cannot ask it.
    struct BrokerFacts: Sendable {
        var control: ControlView?
        var depths: [QueueName: [Lane: LaneDepth]]?
    }

    /// The greatest age of a page that is sent to a viewer.
    static let ageMaximum = Duration.seconds(1)
    /// The greatest age of the broker's facts: asking costs a channel for each queue.
    static let factsAgeMaximum = Duration.seconds(3)

    private var model: (value: DashboardModel, at: ContinuousClock.Instant)?
    private var making: Task<DashboardModel, any Error>?
    private var facts: (value: BrokerFacts, at: ContinuousClock.Instant)?

    /// - Parameter make: if it throws, the next call tries again.
    func model(_ make: @escaping @Sendable () async throws -> DashboardModel) async throws -> DashboardModel {
        if let model, ContinuousClock.now - model.at < Self.ageMaximum { return model.value }
        if let making { return try await making.value }
        // A task of its own: a caller that waits for the page may be cancelled.
        let task = Task { try await make() }
        making = task
        defer { if making == task { making = nil } }
        let value = try await task.value
        if making == task { model = (value, .now) }
        return value
    }

    func facts(_ ask: @Sendable () async -> BrokerFacts) async -> BrokerFacts {
        if let facts, ContinuousClock.now - facts.at < Self.factsAgeMaximum { return facts.value }
        let value = await ask()
        facts = (value, .now)
        return value
    }

    /// Drops the page after an order, whose effect the page does not show.
    func expire() {
        model = nil
        making = nil
        facts = nil
    }
}

import Uploads

/// The page as it is now, made once for all who look at it, and only while somebody does.
actor DashboardFeed {
    /// What only the broker knows; nil while it cannot be asked.
    struct BrokerFacts: Sendable {
        var control: ControlView?
        var depths: [QueueName: [Lane: LaneDepth]]?
    }

    /// How old a page may be that is sent to somebody who follows.
    static let ageMaximum = Duration.seconds(1)
    /// The same for what the broker is asked, which costs a channel for each queue.
    static let factsAgeMaximum = Duration.seconds(3)

    private var page: (value: DashboardPage, at: ContinuousClock.Instant)?
    private var making: Task<DashboardPage, any Error>?
    private var facts: (value: BrokerFacts, at: ContinuousClock.Instant)?

    /// - Parameter make: may fail; the next who asks tries again.
    func page(_ make: @escaping @Sendable () async throws -> DashboardPage) async throws -> DashboardPage {
        if let page, ContinuousClock.now - page.at < Self.ageMaximum { return page.value }
        if let making { return try await making.value }
        // Those who wait for it may leave meanwhile.
        let task = Task { try await make() }
        making = task
        defer { if making == task { making = nil } }
        let value = try await task.value
        if making == task { page = (value, .now) }
        return value
    }

    func facts(_ ask: @Sendable () async -> BrokerFacts) async -> BrokerFacts {
        if let facts, ContinuousClock.now - facts.at < Self.factsAgeMaximum { return facts.value }
        let value = await ask()
        facts = (value, .now)
        return value
    }

    /// Something was decided: what was made before does not show it.
    func expire() {
        page = nil
        making = nil
        facts = nil
    }
}

/// What waits in a lane, and who takes from it.
public struct LaneDepth: Codable, Hashable, Sendable {
    /// Messages that wait, without those that were delivered and are not settled yet.
    public var messages: Int
    /// Channels of workers that take from it.
    public var consumers: Int

    public init(messages: Int, consumers: Int) {
        self.messages = messages
        self.consumers = consumers
    }
}

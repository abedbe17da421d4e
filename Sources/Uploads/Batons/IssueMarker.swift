public import Foundation

/// A message that the notifier sends to its own queue. When the notifier reads it back, it has recorded every hand-over
/// and end that was confirmed before, and may issue the job anew if the round still has no end.
public struct IssueMarker: Codable, Hashable, Sendable {
    public var id: UUID
    public var job: JobID
    public var round: Int
    /// The generation that was current when the wish was noted.
    public var generation: Int

    public init(id: UUID = UUID(), job: JobID, round: Int, generation: Int) {
        self.id = id
        self.job = job
        self.round = round
        self.generation = generation
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id), job: try container.decode(JobID.self, forKey: .job),
            round: try container.decode(1...WireLimits.countMaximum, forKey: .round),
            generation: try container.decode(1...WireLimits.countMaximum, forKey: .generation))
    }
}

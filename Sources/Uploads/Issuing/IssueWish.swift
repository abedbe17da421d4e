/// Rule 3: issuing. A noted wish to issue a job anew: the notifier grants it when it has read the wish's marker back
/// and the round still has no end.
public struct IssueWish: Codable, Hashable, Sendable {
    /// The marker that is awaited; any other is stale.
    public var marker: IssueMarker
    /// The operator's order; nil if a suspect or the job's turn alone caused the wish.
    public var verb: Verb?
    /// Whether a suspect of this generation came: the generation may then count as poison.
    public var isSuspect: Bool
    /// Whether a worker had published `started` for the very slice that became suspect. A slice that only waited in a
    /// worker's prefetch when its connection was lost has harmed no worker.
    public var isBegun: Bool

    public init(marker: IssueMarker, verb: Verb? = nil, isSuspect: Bool = false, isBegun: Bool = false) {
        self.marker = marker
        self.verb = verb
        self.isSuspect = isSuspect
        self.isBegun = isBegun
    }
}

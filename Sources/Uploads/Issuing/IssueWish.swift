/// A noted wish to issue a job anew. It is granted when its marker has come by and the round still has no end.
public struct IssueWish: Codable, Hashable, Sendable {
    /// The marker that is awaited; any other is stale.
    public var marker: IssueMarker
    /// What an operator asked for; nil when only a suspect did.
    public var verb: Verb?
    /// Whether a suspect of this generation came: then it may count as poison.
    public var isSuspect: Bool
    /// Whether a worker had told that it had begun the very slice that became suspect. A slice that only waited in a worker's prefetch
    /// when its connection was lost has harmed no worker.
    public var isBegun: Bool

    public init(marker: IssueMarker, verb: Verb? = nil, isSuspect: Bool = false, isBegun: Bool = false) {
        self.marker = marker
        self.verb = verb
        self.isSuspect = isSuspect
        self.isBegun = isBegun
    }
}

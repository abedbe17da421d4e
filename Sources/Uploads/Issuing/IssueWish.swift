/// A noted wish to issue a job anew. It is granted when its marker has come by and the round still has no end.
public struct IssueWish: Codable, Hashable, Sendable {
    /// The marker that is awaited; any other is stale.
    public var marker: IssueMarker
    /// What an operator asked for; nil when only a suspect did.
    public var verb: Verb?
    /// Whether a suspect of this generation came: then it may count as poison.
    public var isSuspect: Bool
    /// Whether a dead letter came: it counts even if no worker ever said `started`.
    public var isDeadLetter: Bool

    public init(marker: IssueMarker, verb: Verb? = nil, isSuspect: Bool = false, isDeadLetter: Bool = false) {
        self.marker = marker
        self.verb = verb
        self.isSuspect = isSuspect
        self.isDeadLetter = isDeadLetter
    }
}

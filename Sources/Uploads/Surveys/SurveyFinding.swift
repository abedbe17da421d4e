/// What a survey found out about one ability of a destination.
public struct SurveyFinding: Hashable, Sendable, Encodable {
    public enum Answer: String, Sendable, Encodable {
        case yes, no
        /// It could not be found out.
        case unknown
    }

    /// The ability in a few words: `list unfinished uploads`.
    public var ability: String
    public var answer: Answer
    /// What the survey saw, or why it could not look.
    public var detail: String
    /// The name of the right that the credentials lack, if that is the reason.
    public var missingRight: String?
    /// Whether the survey fails without it: because no upload succeeds, or because something of the survey stays there.
    public var isNeeded: Bool

    public init(
        _ ability: String, _ answer: Answer, _ detail: String, missingRight: String? = nil, isNeeded: Bool = false
    ) {
        self.ability = ability
        self.answer = answer
        self.detail = detail
        self.missingRight = missingRight
        self.isNeeded = isNeeded
    }
}

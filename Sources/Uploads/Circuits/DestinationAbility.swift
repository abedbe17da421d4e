/// What a destination can do for its jobs. Each ability includes those before it: a success proves these too, and says
/// nothing of those after it (an answered probe says nothing of a full disk).
public enum DestinationAbility: Int, CaseIterable, Comparable, Sendable {
    /// It answers requests.
    case reach
    /// It accepts the credentials.
    case signIn
    /// It stores what it is sent.
    case write

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

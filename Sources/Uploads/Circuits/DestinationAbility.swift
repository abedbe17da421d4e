/// What a destination can do for its jobs. Each includes those before it, so that a success proves them too, and proves nothing of those
/// after it: a look that is answered says nothing of the disk that is full.
public enum DestinationAbility: Int, CaseIterable, Comparable, Sendable {
    /// It answers.
    case reach
    /// It takes the credentials.
    case signIn
    /// It keeps what it is sent.
    case write

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

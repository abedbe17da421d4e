/// Which outcomes a delegate is told of.
public struct DeliveryRoute: Hashable, Sendable {
    /// The delegate's name.
    public var delegate: String
    /// `completed`, `failed`, `cancelled`, or some of them.
    public var kinds: Set<EventKind>

    public init(delegate: String, kinds: Set<EventKind> = [.completed, .failed, .cancelled]) {
        self.delegate = delegate
        self.kinds = kinds
    }
}

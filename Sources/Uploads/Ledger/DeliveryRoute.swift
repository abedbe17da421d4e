/// Which outcomes a delegate is told of.
public struct DeliveryRoute: Hashable, Sendable {
    /// The delegate's name.
    public var delegate: String
    /// `completed`, `failed`, `cancelled`, or some of them.
    public var kinds: Set<EventKind>
    /// Of which jobs.
    public var filter: DeliveryFilter

    public init(
        delegate: String, kinds: Set<EventKind> = [.completed, .failed, .cancelled],
        filter: DeliveryFilter = DeliveryFilter()
    ) {
        self.delegate = delegate
        self.kinds = kinds
        self.filter = filter
    }

    public func takes(_ outcome: UploadEvent) -> Bool { kinds.contains(outcome.kind) && filter.passes(outcome.job) }
}

/// A handler's result: how the slice settles, and what it did.
public struct SettledSlice: Hashable, Sendable {
    public var settlement: Settlement
    public var report: SliceReport

    public init(_ settlement: Settlement, report: SliceReport = SliceReport()) {
        self.settlement = settlement
        self.report = report
    }
}

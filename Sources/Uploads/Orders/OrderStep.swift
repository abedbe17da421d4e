/// A part of an order that was carried out: an order about many jobs takes several transactions.
public struct OrderStep: Hashable, Sendable {
    /// The publications that are now owed because of it, in order.
    public var owed: [OwedAction]
    /// The answer, when there is nothing left to do.
    public var answer: OrderAnswer?

    public init(owed: [OwedAction], answer: OrderAnswer? = nil) {
        self.owed = owed
        self.answer = answer
    }
}

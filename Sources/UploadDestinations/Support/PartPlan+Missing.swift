import Uploads

extension PartPlan {
    /// The parts that a server lacks that holds the file up to a position. The part with that position begins there.
    func missing(after reached: Int64) -> [Part] {
        parts.filter { $0.range.upperBound > reached }
            .map { Part(number: $0.number, range: max(reached, $0.range.lowerBound)..<$0.range.upperBound) }
    }
}

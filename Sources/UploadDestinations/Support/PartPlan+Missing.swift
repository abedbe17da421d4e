import Uploads

extension PartPlan {
    /// The parts that are missing at a server that holds the file up to a position. The part in which the server stopped begins there.
    func missing(after reached: Int64) -> [Part] {
        parts.filter { $0.range.upperBound > reached }
            .map { Part(number: $0.number, range: max(reached, $0.range.lowerBound)..<$0.range.upperBound) }
    }
}

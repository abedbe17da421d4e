// Arithmetic on numbers that another program sent. The operators of the standard library trap where a result does not fit, and a trap
// ends the process: one message could stop every worker that receives it.

extension FixedWidthInteger {
    /// The sum, or the nearest value that the type can hold.
    public func addingSaturating(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other < 0 ? .min : .max
    }

    /// The whole part of a number, or the nearest value that the type can hold; 0 for what is not a number.
    public init(saturating number: Double) {
        if number.isNaN {
            self = 0
        } else {
            self = Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
        }
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum, or the nearest value that the type can hold.
    public func sumSaturating() -> Element { reduce(0) { $0.addingSaturating($1) } }
}

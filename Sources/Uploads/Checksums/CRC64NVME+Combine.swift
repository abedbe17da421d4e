/// Combines the checksums of two runs of bytes in some 40 multiplications. So a whole file's checksum comes from those
/// of its parts, in whatever order they were sent.
extension CRC64NVME {
    /// Appends bytes of which only the checksum and the count are known.
    public mutating func append(_ other: CRC64NVME, count: Int64) {
        precondition(count >= 0)
        // A checksum of 0, such as that of no bytes, adds nothing to the product.
        guard value != 0 else {
            self = other
            return
        }
        self = CRC64NVME(Self.product(value, Self.power(ofBytes: count)) ^ other.value)
    }

    /// x^(8 * count) modulo the polynomial.
    private static func power(ofBytes count: Int64) -> UInt64 {
        var power: UInt64 = 1 << 63  // x^0, for the reflected form has the lowest power on top
        var square: UInt64 = 1 << 55  // x^8
        var rest = UInt64(count)
        while rest > 0 {
            if rest & 1 == 1 { power = product(power, square) }
            square = product(square, square)
            rest >>= 1
        }
        return power
    }

    /// The product of two polynomials modulo the polynomial.
    private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var right = right
        var sum: UInt64 = 0
        var bit: UInt64 = 1 << 63
        while bit != 0 {
            if left & bit != 0 { sum ^= right }
            right = right & 1 == 0 ? right >> 1 : right >> 1 ^ polynomial
            bit >>= 1
        }
        return sum
    }
}

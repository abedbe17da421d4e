import CChecksums

/// Reduces many bytes to a few with the same checksum, by the processor's carry-less multiplication: about six times as
/// fast as tables, and with 512 bits at once faster than memory. For reflected polynomials of at most 64 bits.
struct CarrylessFold: Sendable {
    /// Bytes that are folded at once.
    static let strideBytes = Int(CHECKSUM_FOLD_STRIDE)

    /// Whether 512 bits are multiplied at once.
    let isWide: Bool

    private let near: checksum_words
    private let far: checksum_words

    /// - Parameters:
    ///   - polynomial: in its reflected form.
    ///   - width: its degree in bits.
    ///   - mayBeWide: whether to use the widest instruction.
    /// - Returns: nil where the processor has no such instruction.
    init?(polynomial: UInt64, width: Int, mayBeWide: Bool = true) {
        guard checksum_can_fold() else { return nil }
        isWide = mayBeWide && checksum_can_fold_wide()
        // A product of two reflected words is one bit too low, hence one power less.
        let power = { (exponent: Int) -> UInt64 in
            var power: UInt64 = 1 << (width - 1)  // x^0, for the reflected form has the lowest power on top
            for _ in 0..<exponent { power = power & 1 == 0 ? power >> 1 : power >> 1 ^ polynomial }
            return power << (64 - width)
        }
        near = checksum_words(first: power(128 + 63), second: power(128 - 1))
        far = checksum_words(
            first: power(8 * Self.strideBytes + 63), second: power(8 * Self.strideBytes - 1))
    }

    /// - Parameters:
    ///   - bytes: whole strides of them, at least one.
    ///   - register: the checksum's register before them.
    /// - Returns: two little-endian words that, from an empty register, give the register that all the bytes give from
    ///   this one.
    func folded(_ bytes: UnsafeRawBufferPointer, register: UInt64) -> (UInt64, UInt64) {
        precondition(!bytes.isEmpty && bytes.count % Self.strideBytes == 0)
        let words =
            isWide
            ? checksum_fold_wide(bytes.baseAddress, bytes.count, register, far, near)
            : checksum_fold(bytes.baseAddress, bytes.count, register, far, near)
        return (words.first, words.second)
    }
}

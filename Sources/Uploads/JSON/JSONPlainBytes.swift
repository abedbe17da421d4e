/// The bytes of a JSON text that stand for themselves (RFC 8259, section 7): no quote, no backslash, no control character.
enum JSONPlainBytes {
    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first byte from here on that does not stand for itself; the end, or beyond it, if there is
    /// none.
    static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var end = start
        while end + 8 <= bytes.count {
            guard areAll(UnsafeRawPointer(bytes.baseAddress! + end).loadUnaligned(as: UInt64.self)) else { break }
            end += 8
        }
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        return end
    }

    /// Whether 8 bytes stand for themselves. Subtracting sets the high bit of a byte below 0x80 if the byte was smaller
    /// than the subtracted one; only such a byte borrows from its neighbour.
    private static func areAll(_ word: UInt64) -> Bool {
        let quotes = word ^ lowBits &* UInt64(UInt8(ascii: "\""))
        let backslashes = word ^ lowBits &* UInt64(UInt8(ascii: "\\"))
        let others =
            (word &- lowBits &* 0x20) & ~word | (quotes &- lowBits) & ~quotes | (backslashes &- lowBits) & ~backslashes
        return others & highBits == 0
    }
}

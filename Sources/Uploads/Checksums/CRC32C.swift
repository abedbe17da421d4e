/// CRC-32C (Castagnoli), a checksum that most object stores know: reflected, polynomial 0x1edc6f41, all bits inverted at both
/// ends (RFC 3720, section 12.1). The check value of "123456789" is `e3069283`.
///
/// It is taken by 8 tables of 256 entries at once.
public struct CRC32C: Hashable, Sendable {
    /// The checksum of all bytes so far.
    public private(set) var value: UInt32 = 0

    public init() {}

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let table = Self.tables
        var crc = ~value
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
            crc = 0
            for byte in 0..<8 { crc ^= table[(7 - byte) << 8 | Int(word >> (8 * UInt64(byte)) & 0xff)] }
            offset += 8
        }
        while offset < bytes.count {
            crc = table[Int((crc ^ UInt32(bytes[offset])) & 0xff)] ^ crc >> 8
            offset += 1
        }
        value = ~crc
    }

    /// Entry `k << 8 | byte` is what the byte does to the checksum when `k` more bytes follow. Written once, before it can be
    /// seen, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 << 8)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82f6_3b78 }
            tables[byte] = crc
        }
        for entry in 256..<(8 << 8) {
            let shorter = tables[entry - 256]
            tables[entry] = shorter >> 8 ^ tables[Int(shorter & 0xff)]
        }
        return UnsafePointer(tables)
    }()
}

/// CRC-32C (Castagnoli), a checksum that most object stores know: reflected, polynomial 0x1edc6f41, all bits inverted at both
/// ends (RFC 3720, section 12.1). The check value of "123456789" is `e3069283`.
///
/// Computed by carry-less multiplication. Where the processor has none, and for the last bytes, 8 tables of 256 entries
/// are used at once.
public struct CRC32C: Hashable, Sendable {
    /// The checksum of all bytes so far.
    public private(set) var value: UInt32 = 0

    public init() {}

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var register = ~value
        var rest = bytes[...]
        if let fold = Self.fold, bytes.count >= CarrylessFold.strideBytes {
            let strides = bytes.prefix(bytes.count / CarrylessFold.strideBytes * CarrylessFold.strideBytes)
            let (first, second) = fold.folded(UnsafeRawBufferPointer(rebasing: strides), register: UInt64(register))
            register = Self.step(UInt64(Self.step(first)) ^ second)
            rest = bytes.dropFirst(strides.count)
        }
        value = ~Self.byTables(UnsafeRawBufferPointer(rebasing: rest), register: register)
    }

    /// The register after these bytes.
    static func byTables(_ bytes: UnsafeRawBufferPointer, register: UInt32) -> UInt32 {
        let table = tables
        var register = register
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            register = step(word ^ UInt64(register))
            offset += 8
        }
        while offset < bytes.count {
            register = table[Int((register ^ UInt32(bytes[offset])) & 0xff)] ^ register >> 8
            offset += 1
        }
        return register
    }

    /// The register after 8 bytes, which are already combined with the register before them.
    @inline(__always)
    private static func step(_ word: UInt64) -> UInt32 {
        var register: UInt32 = 0
        for byte in 0..<8 { register ^= tables[(7 - byte) << 8 | Int(word >> (8 * UInt64(byte)) & 0xff)] }
        return register
    }

    private static let polynomial: UInt32 = 0x82f6_3b78  // bit-reversed: the reflected form

    private static let fold = CarrylessFold(polynomial: UInt64(polynomial), width: 32)

    /// Entry `k << 8 | byte` is what the byte does to the checksum when `k` more bytes follow. Written once, before it can be
    /// seen, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 << 8)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
            tables[byte] = crc
        }
        for entry in 256..<(8 << 8) {
            let shorter = tables[entry - 256]
            tables[entry] = shorter >> 8 ^ tables[Int(shorter & 0xff)]
        }
        return UnsafePointer(tables)
    }()
}

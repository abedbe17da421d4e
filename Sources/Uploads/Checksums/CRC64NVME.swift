/// CRC-64/NVME, the checksum of blocks and parts: reflected, polynomial 0xad93d23594c93659, all bits inverted at both ends
/// (NVM Express, Command Set Specification 1.0d, section 5.2.1.3.4). The check value of "123456789" is `ae8b14860a799888`.
///
/// Computed by carry-less multiplication. Where the processor has none, and for the last bytes, 16 tables of 256
/// entries are used at once, 32 KiB that fit the first-level cache.
public struct CRC64NVME: Hashable, Sendable {
    /// The checksum of all bytes so far.
    public private(set) var value: UInt64

    /// - Parameter value: the checksum so far, to go on from; 0 for no bytes.
    public init(_ value: UInt64 = 0) { self.value = value }

    /// The checksum of the bytes.
    public init(of bytes: some Collection<UInt8>) {
        self.init()
        update(bytes)
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var register = ~value
        var rest = bytes[...]
        if let fold = Self.fold, bytes.count >= CarrylessFold.strideBytes {
            let strides = bytes.prefix(bytes.count / CarrylessFold.strideBytes * CarrylessFold.strideBytes)
            let (first, second) = fold.folded(UnsafeRawBufferPointer(rebasing: strides), register: register)
            register = Self.step(first, second)
            rest = bytes.dropFirst(strides.count)
        }
        value = ~Self.byTables(UnsafeRawBufferPointer(rebasing: rest), register: register)
    }

    /// The register after these bytes.
    static func byTables(_ bytes: UnsafeRawBufferPointer, register: UInt64) -> UInt64 {
        guard var next = bytes.baseAddress else { return register }
        let table = tables
        var register = register
        var left = bytes.count
        while left >= 16 {
            register = step(
                register ^ UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: next.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            next += 16
            left -= 16
        }
        while left > 0 {
            register = table[Int((register ^ UInt64(next.load(as: UInt8.self))) & 0xff)] ^ register >> 8
            next += 1
            left -= 1
        }
        return register
    }

    /// The register after 16 bytes, of which the first 8 are already combined with the register before them.
    @inline(__always)
    private static func step(_ low: UInt64, _ high: UInt64) -> UInt64 {
        let table = tables
        let first =
            table[15 << 8 | Int(low & 0xff)] ^ table[14 << 8 | Int(low >> 8 & 0xff)]
            ^ table[13 << 8 | Int(low >> 16 & 0xff)] ^ table[12 << 8 | Int(low >> 24 & 0xff)]
        let second =
            table[11 << 8 | Int(low >> 32 & 0xff)] ^ table[10 << 8 | Int(low >> 40 & 0xff)]
            ^ table[9 << 8 | Int(low >> 48 & 0xff)] ^ table[8 << 8 | Int(low >> 56)]
        let third =
            table[7 << 8 | Int(high & 0xff)] ^ table[6 << 8 | Int(high >> 8 & 0xff)]
            ^ table[5 << 8 | Int(high >> 16 & 0xff)] ^ table[4 << 8 | Int(high >> 24 & 0xff)]
        let fourth =
            table[3 << 8 | Int(high >> 32 & 0xff)] ^ table[2 << 8 | Int(high >> 40 & 0xff)]
            ^ table[1 << 8 | Int(high >> 48 & 0xff)] ^ table[Int(high >> 56)]
        return first ^ second ^ third ^ fourth
    }

    public mutating func update(_ bytes: some Collection<UInt8>) {
        let contiguous: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if contiguous == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    /// 16 digits, most significant first: as in ``Digests/crc64nvme``.
    public var hexadecimal: String { withUnsafeBytes(of: value.bigEndian) { Hexadecimal.text(of: $0) } }

    static let polynomial: UInt64 = 0x9a6c_9329_ac4b_c9b5  // bit-reversed: the reflected form

    private static let fold = CarrylessFold(polynomial: polynomial, width: 64)

    /// Entry `k << 8 | byte` is what the byte does to the checksum when `k` more bytes follow. Written once, before it can be
    /// seen, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt64> = {
        let tables = UnsafeMutablePointer<UInt64>.allocate(capacity: 16 << 8)
        for byte in 0..<256 {
            var crc = UInt64(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
            tables[byte] = crc
        }
        for entry in 256..<(16 << 8) {
            let shorter = tables[entry - 256]
            tables[entry] = shorter >> 8 ^ tables[Int(shorter & 0xff)]
        }
        return UnsafePointer(tables)
    }()
}

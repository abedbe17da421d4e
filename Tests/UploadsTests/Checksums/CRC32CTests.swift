import Testing

@testable import Uploads

struct CRC32CTests {
    private func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = CRC32C()
        Array(bytes).withUnsafeBytes { crc.update($0) }
        return crc.value
    }

    @Test func `the check values are those of the catalogue and of RFC 3720`() {
        #expect(crc("123456789".utf8) == 0xe306_9283)
        #expect(crc([UInt8](repeating: 0, count: 32)) == 0x8a91_36aa)
        #expect(crc([UInt8](repeating: 0xff, count: 32)) == 0x62a8_ab43)
        #expect(crc(0..<32) == 0x46dd_794e)
        #expect(crc([]) == 0)
    }

    /// Sizes around a step of the tables, and around one and several strides of the multiplication.
    @Test(arguments: [0..<20, 120..<145, 250..<275, 999..<1001])
    func `by tables and by multiplication it agrees with the definition bit by bit`(counts: Range<Int>) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }
        for count in counts {
            var crc = UInt32.max
            for byte in bytes.prefix(count) {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82f6_3b78 }
            }
            #expect(self.crc(bytes.prefix(count)) == ~crc)
            let byTables = bytes.prefix(count).withUnsafeBytes { CRC32C.byTables($0, register: .max) }
            #expect(byTables == crc)
        }
    }

    @Test(arguments: 0..<40)
    func `taken in two pieces it is the same`(split: Int) {
        let bytes = (0..<40).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var pieces = CRC32C()
        bytes[..<split].withUnsafeBytes { pieces.update($0) }
        bytes[split...].withUnsafeBytes { pieces.update($0) }
        #expect(pieces.value == crc(bytes))
    }
}

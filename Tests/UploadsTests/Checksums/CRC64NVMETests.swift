import Testing

@testable import Uploads

struct CRC64NVMETests {
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }

    @Test func `the check value is that of the catalogue`() {
        #expect(CRC64NVME(of: Array("123456789".utf8)).hexadecimal == "ae8b14860a799888")
        #expect(CRC64NVME(of: []).hexadecimal == "0000000000000000")
    }

    /// Sizes around a step of the tables, and around one and several strides of the multiplication.
    @Test(arguments: [0..<70, 120..<145, 250..<275, 999..<1001])
    func `by tables and by multiplication it agrees with the definition bit by bit`(counts: Range<Int>) {
        for count in counts {
            var crc = UInt64.max
            for byte in bytes.prefix(count) {
                crc ^= UInt64(byte)
                for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x9a6c_9329_ac4b_c9b5 }
            }
            #expect(CRC64NVME(of: bytes.prefix(count)).value == ~crc)
            let byTables = bytes.prefix(count).withUnsafeBytes { CRC64NVME.byTables($0, register: .max) }
            #expect(byTables == crc)
        }
    }

    @Test(arguments: [(CRC64NVME.polynomial, 64), (0x82f6_3b78, 32)])
    func `the wide multiplication folds to the same words`(polynomial: UInt64, width: Int) throws {
        let narrow = try #require(CarrylessFold(polynomial: polynomial, width: width, mayBeWide: false))
        let wide = try #require(CarrylessFold(polynomial: polynomial, width: width))
        #expect(!narrow.isWide)
        for strides in 1...7 {
            for offset in [0, 1, 7, 64] {
                bytes[offset..<offset + strides * CarrylessFold.strideBytes].withUnsafeBytes { bytes in
                    for register: UInt64 in [0, 1, UInt64(UInt32.max)] {
                        #expect(wide.folded(bytes, register: register) == narrow.folded(bytes, register: register))
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 127, 128, 129, 500, 999, 1000])
    func `taken in two pieces it is the same, and so it is put together from two`(split: Int) {
        let whole = CRC64NVME(of: bytes)
        var continued = CRC64NVME(of: bytes[..<split])
        continued.update(bytes[split...])
        #expect(continued == whole)
        var combined = CRC64NVME(of: bytes[..<split])
        combined.append(CRC64NVME(of: bytes[split...]), count: Int64(bytes.count - split))
        #expect(combined == whole)
    }

    @Test func `bytes that are not contiguous count the same`() {
        #expect(CRC64NVME(of: AnyCollection(bytes)) == CRC64NVME(of: bytes))
    }

    @Test func `hexadecimal text keeps leading zeros`() {
        #expect(Hexadecimal.text(of: [0, 1, 0xab, 0xff]) == "0001abff")
    }
}

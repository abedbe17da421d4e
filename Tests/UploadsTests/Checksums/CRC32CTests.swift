import Testing
import Uploads

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

    @Test(arguments: 0..<40)
    func `taken in two pieces it is the same`(split: Int) {
        let bytes = (0..<40).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var pieces = CRC32C()
        bytes[..<split].withUnsafeBytes { pieces.update($0) }
        bytes[split...].withUnsafeBytes { pieces.update($0) }
        #expect(pieces.value == crc(bytes))
    }
}

import Foundation
import Testing

@testable import UploadNotifier

@Suite struct DecodedRowsTests {
    private func bytes(_ count: Int, _ byte: UInt8 = 0) -> Data { Data(repeating: byte, count: count) }

    @Test func `a value counts only for the bytes that it was written as`() {
        let rows = DecodedRows<String, Int>(bytesMaximum: 3200)
        rows.note(1, as: bytes(10), of: "a")
        #expect(rows.value(of: "a", bytes(10)) == 1)
        #expect(rows.value(of: "a", bytes(10, 1)) == nil)
        #expect(rows.value(of: "b", bytes(10)) == nil)
        rows.note(2, as: bytes(11), of: "a")
        #expect(rows.value(of: "a", bytes(10)) == nil)
        #expect(rows.value(of: "a", bytes(11)) == 2)
    }

    @Test func `the rows that were written first are forgotten first, and a large one is not remembered`() {
        let rows = DecodedRows<String, Int>(bytesMaximum: 3200)
        for number in 0..<100 { rows.note(number, as: bytes(100), of: "\(number)") }
        let left = (0..<100).filter { rows.value(of: "\($0)", bytes(100)) != nil }
        #expect(left.count >= 16 && left.count <= 32)
        #expect(left == Array((100 - left.count)..<100))
        rows.note(1, as: bytes(101), of: "large")
        #expect(rows.value(of: "large", bytes(101)) == nil)
    }
}

import Foundation
import Testing

@testable import Uploads

@Suite struct UUIDTextTests {
    @Test func `a UUID is read as by Foundation, in either case`() {
        for _ in 0..<200 {
            let id = UUID()
            #expect(UUID(text: id.uuidString) == id)
            #expect(UUID(text: id.uuidString.lowercased()) == id)
        }
    }

    @Test func `anything else is none, wherever it stands`() {
        let text = Array("01234567-89ab-cdef-ABCD-EF0123456789".utf8)
        for index in text.indices {
            let isDash = text[index] == UInt8(ascii: "-")
            for byte in "/:@G`g -\u{0}".utf8 where !(isDash && byte == UInt8(ascii: "-")) {
                var other = text
                other[index] = byte
                #expect(UUID(text: String(decoding: other, as: UTF8.self)) == nil)
            }
            #expect(UUID(text: String(decoding: text[..<index], as: UTF8.self)) == nil)
        }
        #expect(UUID(text: String(decoding: text, as: UTF8.self) + "0") == nil)
        #expect(UUID(text: "{01234567-89ab-cdef-ABCD-EF012345678}") == nil)
    }

    @Test func `an event's id on the wire is a UUID or nothing`() throws {
        #expect(
            try WireJSON.decode([UUID].self, from: Data(#"["01234567-89AB-cdef-ABCD-EF0123456789"]"#.utf8)).count == 1)
        #expect(throws: DecodingError.self) { try WireJSON.decode([UUID].self, from: Data(#"["0123"]"#.utf8)) }
    }
}

import CRabbitMQ
import Foundation
import Testing
import UploadTesting

@testable import RabbitMQ

/// Headers as a peer may send them, through the library's own decoder: all decoded headers can be sent again.
@Suite(.timeLimit(.minutes(600))) struct HeaderFuzzTests {
    @Test func `headers that can be decoded can be encoded, and come back the same`() throws {
        let library = Library()
        var fuzz = Fuzz(for: "headers")
        var decodedCount = 0
        for input in 0..<Fuzz.inputCount {
            var bytes = HeaderBytes.table(&fuzz, depth: 0)
            if fuzz.chance(4) { bytes = Array(fuzz.damaged(Data(bytes))) }
            guard let table = library.decode(bytes) else { continue }
            decodedCount += 1
            #expect(throws: Never.self, "seed \(fuzz.seed), input \(input)") { try Names.check(table) }
            let again = library.decode(library.encode(table)) ?? [:]
            #expect(canonical(again) == canonical(table), "seed \(fuzz.seed), input \(input)")
        }
        #expect(decodedCount > Fuzz.inputCount / 4)
    }

    @Test(arguments: [0, 1, 1_795_000_000, 1 << 62, 1 << 63, UInt64.max - 1, .max])
    func `any timestamp can be sent again`(seconds: UInt64) throws {
        var properties = amqp_basic_properties_t()
        properties._flags = amqp_flags_t(AMQP_BASIC_TIMESTAMP_FLAG)
        properties.timestamp = seconds
        let message = Decoder.message(properties)
        let library = Library()
        let sent = Encoder(pool: library.pool).properties(message).timestamp
        // A date is a floating point number of seconds.
        #expect(sent == (Double(seconds) < 0x1p64 ? UInt64(Double(seconds)) : .max))
    }

    @Test func `values that nest deeper than can be sent are left out, with a word`() throws {
        let library = Library()
        var value = HeaderBytes.field(UInt8(ascii: "V"), [])
        for _ in 0..<100 { value = HeaderBytes.field(UInt8(ascii: "A"), HeaderBytes.long(value)) }
        let table = try #require(library.decode(HeaderBytes.long(HeaderBytes.short([UInt8(ascii: "a")]) + value)))
        try Names.check(table)
        #expect(String(describing: table).contains("nested more than 32 deep"))
    }

    @Test func `a name of bytes that are no UTF-8 stays short enough to be sent`() throws {
        let library = Library()
        let name = [UInt8](repeating: 0xFF, count: 255)
        let bytes = HeaderBytes.long(HeaderBytes.short(name) + HeaderBytes.field(UInt8(ascii: "V"), []))
        try Names.check(try #require(library.decode(bytes)))
    }
}

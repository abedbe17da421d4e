import CRabbitMQ
import Foundation
import Testing
import UploadTesting

@testable import RabbitMQ

/// Headers as a peer may send them, by way of the library's own decoder: whatever comes can be sent again.
@Suite(.timeLimit(.minutes(600))) struct HeaderFuzzTests {
    @Test func `headers that can be decoded can be encoded, and come back the same`() throws {
        let library = Library()
        var fuzz = Fuzz()
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

/// The same for tables that are equal: in the order of their keys, and with what is no number equal to itself. An unsigned number
/// of 64 bits is sent as a signed one or as text.
private func canonical(_ table: Table) -> String {
    func text(_ value: FieldValue) -> String {
        switch value {
        case .table(let table): canonical(table)
        case .array(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .uint64(let number): text(Int64(exactly: number).map { .int64($0) } ?? .string(String(number)))
        default: String(describing: value)
        }
    }
    return "{\(table.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
}

/// Calls the library's codec as a connection does.
private final class Library {
    let pool: UnsafeMutablePointer<amqp_pool_t>

    init() {
        pool = .allocate(capacity: 1)
        init_amqp_pool(pool, 4096)
    }

    deinit {
        empty_amqp_pool(pool)
        pool.deallocate()
    }

    func decode(_ bytes: [UInt8]) -> Table? {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { bytes -> Table? in
            defer { recycle_amqp_pool(pool) }
            var table = amqp_table_t()
            var offset = 0
            let encoded = amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            guard amqp_decode_table(encoded, pool, &table, &offset) == AMQP_STATUS_OK.rawValue else { return nil }
            return Decoder.table(table)
        }
    }

    func encode(_ table: Table) -> [UInt8] {
        defer { recycle_amqp_pool(pool) }
        var encoded = Encoder(pool: pool).table(table)
        var message = Message()
        message.headers = table
        var bytes = [UInt8](repeating: 0, count: message.headerBytes + 64)
        let count = bytes.withUnsafeMutableBytes { bytes -> Int in
            var offset = 0
            let room = amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            let status = amqp_encode_table(room, &encoded, &offset)
            return status == AMQP_STATUS_OK.rawValue ? offset : 0
        }
        return Array(bytes.prefix(count))
    }
}

/// Field tables as they stand on the wire (AMQP 0-9-1, section 4.2.5, with RabbitMQ's errata).
private enum HeaderBytes {
    static func short(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }

    static func long(_ bytes: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }

    static func field(_ kind: UInt8, _ value: [UInt8]) -> [UInt8] { [kind] + value }

    static func table(_ fuzz: inout Fuzz, depth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<fuzz.number(in: depth == 0 ? 1...5 : 0...2) {
            bytes += short(Array(fuzz.text().utf8.prefix(255))) + field(&fuzz, depth: depth)
        }
        return long(bytes)
    }

    private static func field(_ fuzz: inout Fuzz, depth: Int) -> [UInt8] {
        let kind = fuzz.pick(Array("tbBsuIilLfdDSATFVxU".utf8))
        func word(_ count: Int) -> [UInt8] {
            let number = fuzz.chance(2) ? UInt64(bitPattern: fuzz.integer()) : fuzz.double().bitPattern
            return withUnsafeBytes(of: number) { Array($0.prefix(count)) }
        }
        switch Character(Unicode.Scalar(kind)) {
        case "t", "b", "B": return field(kind, word(1))
        case "s", "u", "U": return field(kind, word(2))
        case "I", "i", "f": return field(kind, word(4))
        case "l", "L", "d", "T": return field(kind, word(8))
        case "D": return field(kind, word(5))
        case "S", "x": return field(kind, long(Array(fuzz.text().utf8.prefix(1000))))
        case "A":
            guard depth < 60 else { return field(kind, long([])) }
            return field(kind, long((0..<fuzz.number(in: 0...2)).flatMap { _ in field(&fuzz, depth: depth + 1) }))
        case "F": return field(kind, depth < 60 ? table(&fuzz, depth: depth + 1) : long([]))
        default: return field(kind, [])
        }
    }
}

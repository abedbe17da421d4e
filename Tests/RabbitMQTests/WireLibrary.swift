import CRabbitMQ
import Foundation
import UploadTesting

@testable import RabbitMQ

/// Equal texts for equal tables: in the order of their keys, with one text for all NaNs. An unsigned number of 64 bits
/// is sent as a signed one or as text.
func canonical(_ table: Table) -> String {
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
final class Library {
    /// `AMQP_BASIC_CLASS`, a macro that Swift does not see.
    private static let basicClass: UInt16 = 60

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

    /// - Returns: nil for bytes that the library does not read as a message's properties.
    func decodeMessage(_ bytes: [UInt8]) -> Message? {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { bytes -> Message? in
            defer { recycle_amqp_pool(pool) }
            var decoded: UnsafeMutableRawPointer?
            let encoded = amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            guard amqp_decode_properties(Self.basicClass, pool, encoded, &decoded) >= 0, let decoded else {
                return nil
            }
            return Decoder.message(decoded.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee)
        }
    }

    /// - Returns: nil for a message that the library cannot write.
    func encode(_ message: Message) -> [UInt8]? {
        defer { recycle_amqp_pool(pool) }
        var properties = Encoder(pool: pool).properties(message)
        var bytes = [UInt8](repeating: 0, count: message.headerBytes + 4096)
        let count = bytes.withUnsafeMutableBytes { bytes -> Int32 in
            let room = amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            return amqp_encode_properties(Self.basicClass, &properties, room)
        }
        return count >= 0 ? Array(bytes.prefix(Int(count))) : nil
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

/// Field tables as they are on the wire (AMQP 0-9-1, section 4.2.5, with RabbitMQ's errata).
enum HeaderBytes {
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

    static func field(_ fuzz: inout Fuzz, depth: Int) -> [UInt8] {
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

import Crypto
import Foundation

/// A value of a ledger's column, whatever database holds it.
enum LedgerValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
    case boolean(Bool)

    /// Whether this is NULL.
    var isNull: Bool { self == .null }

    /// The bytes that the value takes in memory, about.
    var byteCount: Int {
        switch self {
        case .null, .integer, .real, .boolean: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// Adds the value to a digest: its type, and its bytes with their count.
    func add(to digest: inout SHA256) {
        switch self {
        case .null: digest.update(data: [0])
        case .integer(let number): Self.add(1, UInt64(bitPattern: number), to: &digest)
        case .real(let number): Self.add(2, number.bitPattern, to: &digest)
        case .text(let text): Self.add(3, Data(text.utf8), to: &digest)
        case .bytes(let bytes): Self.add(4, bytes, to: &digest)
        case .boolean(let isTrue): digest.update(data: [5, isTrue ? 1 : 0])
        }
    }

    private static func add(_ type: UInt8, _ bits: UInt64, to digest: inout SHA256) {
        digest.update(data: [type])
        withUnsafeBytes(of: bits.bigEndian) { digest.update(bufferPointer: $0) }
    }

    private static func add(_ type: UInt8, _ bytes: Data, to digest: inout SHA256) {
        add(type, UInt64(bytes.count), to: &digest)
        digest.update(data: bytes)
    }
}

/// The values of a row, in the order of its table's columns.
typealias LedgerRow = [LedgerValue]

extension LedgerRow {
    /// The bytes that the row takes in memory, about.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

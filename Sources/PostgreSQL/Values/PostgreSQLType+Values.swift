public import Foundation

extension FixedWidthInteger {
    fileprivate init?(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self.init(bigEndian: bytes.loadUnaligned(as: Self.self))
    }

    func appendBigEndian(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Bool: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .bool }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1000) }
    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .bool, bytes.count == 1 else { return nil }
        self = bytes[0] != 0
    }
}

extension Int64: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .int8 }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1016) }
    public func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        switch type {
        case .int8:
            guard let value = Int64(bigEndianBytes: bytes) else { return nil }
            self = value
        case .int4:
            guard let value = Int32(bigEndianBytes: bytes) else { return nil }
            self = Int64(value)
        case .int2:
            guard let value = Int16(bigEndianBytes: bytes) else { return nil }
            self = Int64(value)
        default: return nil
        }
    }
}

extension Double: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .float8 }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1022) }
    public func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .float8, let bits = UInt64(bigEndianBytes: bytes) else { return nil }
        self.init(bitPattern: bits)
    }
}

/// The server refuses a text with the character U+0000 (22021).
extension String: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .text }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1009) }
    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .text || type == .varchar || type == .name else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

extension Data: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .bytea }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1001) }
    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self) }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .bytea else { return nil }
        self.init(bytes)
    }
}

extension UUID: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .uuid }
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 2951) }
    public func encode(into bytes: inout [UInt8]) { withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) } }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .uuid, bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

/// In microseconds, from 4713 BC to AD 294276; a time beyond is the server's `-infinity` or `infinity`.
extension Date: PostgreSQLArrayElement, PostgreSQLDecodable {
    public static var postgreSQLType: PostgreSQLType { .timestamptz }

    /// 2000-01-01T00:00:00Z, from which the server counts.
    private static let epoch = Date(timeIntervalSince1970: 946_684_800)
    /// The times of the server's type, in seconds from its epoch (PostgreSQL's `MIN_TIMESTAMP` and `END_TIMESTAMP`). All fit into 64 bits as
    /// microseconds.
    private static let range = -211_813_488_000.0..<9_223_371_331_200.0
    public static var postgreSQLArrayType: PostgreSQLType { PostgreSQLType(rawValue: 1185) }

    public func encode(into bytes: inout [UInt8]) {
        let seconds = timeIntervalSince(Self.epoch)
        let microseconds: Int64 =
            if Self.range.contains(seconds) { Int64((seconds * 1_000_000).rounded()) } else if seconds < 0 { .min } else
            { .max }
        microseconds.appendBigEndian(to: &bytes)
    }

    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == .timestamptz, let microseconds = Int64(bigEndianBytes: bytes) else { return nil }
        switch microseconds {
        case .min: self = .distantPast
        case .max: self = .distantFuture
        default: self = Self.epoch + Double(microseconds) / 1_000_000
        }
    }
}

extension Optional: PostgreSQLEncodable where Wrapped: PostgreSQLEncodable {
    public static var postgreSQLType: PostgreSQLType { Wrapped.postgreSQLType }
    public var isNull: Bool { self?.isNull ?? true }
    public func encode(into bytes: inout [UInt8]) { self?.encode(into: &bytes) }
}

extension Optional: PostgreSQLArrayElement where Wrapped: PostgreSQLArrayElement {
    public static var postgreSQLArrayType: PostgreSQLType { Wrapped.postgreSQLArrayType }
}

/// One dimension.
extension Array: PostgreSQLEncodable where Element: PostgreSQLArrayElement {
    public static var postgreSQLType: PostgreSQLType { Element.postgreSQLArrayType }

    public func encode(into bytes: inout [UInt8]) {
        Int32(isEmpty ? 0 : 1).appendBigEndian(to: &bytes)
        Int32(contains(where: \.isNull) ? 1 : 0).appendBigEndian(to: &bytes)
        Element.postgreSQLType.rawValue.appendBigEndian(to: &bytes)
        guard !isEmpty else { return }
        Int32(clamping: count).appendBigEndian(to: &bytes)
        Int32(1).appendBigEndian(to: &bytes)
        for element in self {
            let start = bytes.count
            Int32(-1).appendBigEndian(to: &bytes)
            guard !element.isNull else { continue }
            element.encode(into: &bytes)
            let length = Int32(clamping: bytes.count - start - 4)
            Swift.withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
    }
}

/// One dimension, without NULL.
extension Array: PostgreSQLDecodable where Element: PostgreSQLDecodable & PostgreSQLArrayElement {
    public init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType) {
        guard type == Self.postgreSQLType else { return nil }
        var rest = bytes[...]
        func number() -> Int32? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return Int32(bigEndianBytes: UnsafeRawBufferPointer(rebasing: rest.prefix(4)))
        }
        guard let dimensions = number(), number() != nil, let element = number() else { return nil }
        if dimensions == 0 {
            self = []
            return
        }
        guard dimensions == 1, let count = number(), count >= 0, count <= rest.count / 4, number() != nil else {
            return nil
        }
        self = []
        reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let length = number(), length >= 0, Int(length) <= rest.count,
                let value = Element(
                    UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))),
                    of: PostgreSQLType(rawValue: UInt32(bitPattern: element)))
            else { return nil }
            rest = rest.dropFirst(Int(length))
            append(value)
        }
    }
}

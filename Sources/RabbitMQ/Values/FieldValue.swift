public import Foundation

/// The named values of headers and arguments.
public typealias Table = [String: FieldValue]

/// One value of a header or an argument. Every kind that RabbitMQ sends is represented. The widths of integers are
/// kept, because the broker compares the arguments of a redeclared queue by value, and some of its plugins by type.
public enum FieldValue: Hashable, Sendable {
    case string(String)
    case bool(Bool)
    case int8(Int8)
    case uint8(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case float(Float)
    case double(Double)
    /// `value` divided by ten to the power of `scale`.
    case decimal(scale: UInt8, value: UInt32)
    case bytes(Data)
    /// Whole seconds since 1970.
    case timestamp(Date)
    case table(Table)
    case array([FieldValue])
    case null
}

extension FieldValue {
    /// The text of a string, or of bytes that are valid UTF-8.
    public var string: String? {
        switch self {
        case .string(let value): value
        case .bytes(let value): String(data: value, encoding: .utf8)
        default: nil
        }
    }

    /// The value of an integer of any kind, if it fits.
    public var integer: Int64? {
        switch self {
        case .int8(let value): Int64(value)
        case .uint8(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var table: Table? {
        if case .table(let value) = self { value } else { nil }
    }

    public var array: [FieldValue]? {
        if case .array(let value) = self { value } else { nil }
    }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int64(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self = .table(Table(elements, uniquingKeysWith: { _, last in last }))
    }
    public init(arrayLiteral elements: FieldValue...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }
}

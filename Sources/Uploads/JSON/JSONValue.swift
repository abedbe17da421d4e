/// Any JSON value, for fields that are carried without being understood.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension JSONValue {
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// Whether arrays and objects nest at most so deep; a plain value has depth 0.
    func nests(atMost depth: Int) -> Bool {
        switch self {
        case .array(let values): depth > 0 && values.allSatisfy { $0.nests(atMost: depth - 1) }
        case .object(let fields): depth > 0 && fields.values.allSatisfy { $0.nests(atMost: depth - 1) }
        case .null, .bool, .integer, .number, .string: true
        }
    }

    /// The bytes of its names and texts, and ``WireLimits/payloadValueBytes`` for each value in it.
    var weight: Int {
        switch self {
        case .null, .bool, .integer, .number: WireLimits.payloadValueBytes
        case .string(let text): WireLimits.payloadValueBytes + text.utf8.count
        case .array(let values): values.reduce(WireLimits.payloadValueBytes) { $0 + $1.weight }
        case .object(let fields):
            fields.reduce(WireLimits.payloadValueBytes) { $0 + $1.key.utf8.count + $1.value.weight }
        }
    }

    public subscript(key: String) -> JSONValue? { if case .object(let value) = self { value[key] } else { nil } }
}

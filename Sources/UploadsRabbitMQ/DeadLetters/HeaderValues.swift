import Foundation
import RabbitMQ
import Uploads

/// Headers as the ledger keeps them, in JSON, and back. Values that JSON has no form for are kept under a special name.
enum HeaderValues {
    private static let bytes = "$bytes"
    private static let timestamp = "$timestamp"

    static func json(_ table: Table) -> [String: JSONValue] { table.mapValues(json) }

    static func table(_ values: [String: JSONValue]) -> Table { values.mapValues(field) }

    private static func json(_ value: FieldValue) -> JSONValue {
        if let integer = value.integer { return .integer(integer) }
        return switch value {
        case .string(let text): .string(text)
        case .bool(let flag): .bool(flag)
        case .float(let number): json(Double(number))
        case .double(let number): json(number)
        case .uint64(let number): .string(String(number))
        case .decimal(let scale, let number): json(Double(number) / pow(10, Double(scale)))
        case .bytes(let data): [bytes: .string(data.base64EncodedString())]
        case .timestamp(let date): [timestamp: json(date.timeIntervalSince1970)]
        case .table(let table): .object(json(table))
        case .array(let values): .array(values.map(json))
        case .null, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64: .null
        }
    }

    /// JSON has no infinity.
    private static func json(_ number: Double) -> JSONValue {
        number.isFinite ? .number(number) : .string(String(number))
    }

    private static func field(_ value: JSONValue) -> FieldValue {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .integer(let number): return .int64(number)
        case .number(let number): return .double(number)
        case .string(let text): return .string(text)
        case .array(let values): return .array(values.map(field))
        case .object(let values):
            guard values.count == 1 else { return .table(table(values)) }
            if let data = values[bytes]?.string.flatMap({ Data(base64Encoded: $0) }) { return .bytes(data) }
            switch values[timestamp] {
            case .integer(let seconds)? where seconds >= 0:
                return .timestamp(Date(timeIntervalSince1970: TimeInterval(seconds)))
            case .number(let seconds)? where (0..<1e15).contains(seconds):
                return .timestamp(Date(timeIntervalSince1970: seconds))
            default: return .table(table(values))
            }
        }
    }
}

import Foundation
import Uploads

/// Swift types that have a JSON value of their own: the mapper converts them without a mapping and without their own
/// code.
enum JSONLeaf {
    /// Whole numbers up to here are exact as a `Double`.
    private static let exactDoubleMaximum = 9_007_199_254_740_992.0

    static func isLeaf(_ type: Any.Type) -> Bool {
        switch type {
        case is JSONValue.Type, is String.Type, is Bool.Type, is Double.Type, is Float.Type, is Decimal.Type,
            is Date.Type, is Data.Type, is URL.Type, is any FixedWidthInteger.Type, is any Collection.Type:
            true
        default: false
        }
    }

    /// nil for a type that is not a leaf.
    static func read(_ type: Any.Type, from json: JSONValue, at path: [any CodingKey]) throws -> Any? {
        switch type {
        case is JSONValue.Type: return json
        case is String.Type: return try string(json, type, "is not a string", path)
        case is Bool.Type:
            if case .bool(let value) = json { return value }
            throw mismatch("is not true or false", json, type, path)
        case is Double.Type: return try double(json, type, path)
        case is Float.Type: return Float(try double(json, type, path))
        case is Decimal.Type:
            if case .integer(let value) = json { return Decimal(value) }
            return Decimal(string: "\(try double(json, type, path))", locale: Locale(identifier: "en_US_POSIX"))
        case is Date.Type:
            let words = "is not an ISO 8601 time such as 2026-11-21T08:00:00.000Z"
            guard let date = ISOTime.date(try string(json, type, words, path)) else {
                throw MappingProblem.corrupted(words, at: path)
            }
            return date
        case is Data.Type:
            guard let data = Data(base64Encoded: try string(json, type, "is not base64", path)) else {
                throw MappingProblem.corrupted("is not base64", at: path)
            }
            return data
        case is URL.Type:
            guard let url = URL(string: try string(json, type, "is not a URL", path), encodingInvalidCharacters: false)
            else {
                throw MappingProblem.corrupted("is not a URL", at: path)
            }
            return url
        case let type as any FixedWidthInteger.Type: return try integer(type, json, path)
        default: return nil
        }
    }

    /// nil for a value whose type is not a leaf.
    static func write(_ value: Any, at path: [any CodingKey]) throws -> JSONValue? {
        switch value {
        case let value as JSONValue: return value
        case let value as String: return .string(value)
        case let value as Bool: return .bool(value)
        case let value as Double: return try number(value, path)
        case let value as Float: return try number(Double("\(value)") ?? Double(value), path)
        case let value as Decimal:
            if let whole = Int64("\(value)") { return .integer(whole) }
            return try number(Double("\(value)") ?? .nan, path)
        case let value as Date: return .string(WireJSON.timestamp(value))
        case let value as Data: return .string(value.base64EncodedString())
        case let value as URL: return .string(value.absoluteString)
        case let value as any FixedWidthInteger:
            guard let whole = Int64(exactly: value) else {
                throw MappingProblem.encoding("is beyond the whole numbers of JSON here (Int64)", value, at: path)
            }
            return .integer(whole)
        default: return nil
        }
    }

    /// Converts as `JSONSerialization` does. Its booleans are bytes of 0 and 1, and casts take any 0 or 1 for a
    /// boolean.
    static func number(_ number: NSNumber) -> JSONValue {
        switch String(cString: number.objCType) {
        case "c", "B":
            number.int64Value == 0 || number.int64Value == 1 ? .bool(number.boolValue) : .integer(number.int64Value)
        case "d", "f": .number(number.doubleValue)
        default: Int64(number.stringValue).map(JSONValue.integer) ?? .number(number.doubleValue)
        }
    }

    private static func number(_ value: Double, _ path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else { throw MappingProblem.encoding("is no finite number", value, at: path) }
        return .number(value)
    }

    private static func string(
        _ json: JSONValue, _ type: Any.Type, _ words: String, _ path: [any CodingKey]
    ) throws -> String {
        guard case .string(let text) = json else { throw mismatch(words, json, type, path) }
        return text
    }

    private static func double(_ json: JSONValue, _ type: Any.Type, _ path: [any CodingKey]) throws -> Double {
        switch json {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: throw mismatch("is not a number", json, type, path)
        }
    }

    private static func integer<Whole: FixedWidthInteger>(
        _ type: Whole.Type, _ json: JSONValue, _ path: [any CodingKey]
    ) throws -> Whole {
        let value: Whole? =
            switch json {
            case .integer(let value): Whole(exactly: value)
            case .number(let value) where abs(value) <= exactDoubleMaximum: Whole(exactly: value)
            case .number: nil
            default: throw mismatch("is not a whole number", json, type, path)
            }
        guard let value else { throw MappingProblem.decoding("is not a whole number of \(type)", type, at: path) }
        return value
    }

    private static func mismatch(
        _ words: String, _ json: JSONValue, _ type: Any.Type, _ path: [any CodingKey]
    ) -> DecodingError {
        guard json == .null else { return MappingProblem.decoding(words, type, at: path) }
        return .valueNotFound(type, DecodingError.Context(codingPath: path, debugDescription: "is null"))
    }
}

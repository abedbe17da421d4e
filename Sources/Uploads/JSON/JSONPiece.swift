import Foundation

/// A value that is to be written as JSON.
enum JSONPiece {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case time(Date)
    case base64(Data)
    case branch(JSONBranch)

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .array(let values): self = .branch(JSONBranch(elements: values.map { JSONPiece($0) }))
        case .object(let values): self = .branch(JSONBranch(members: values.map { ($0, JSONPiece($1)) }))
        }
    }

    /// - Throws: `EncodingError` for a number that is infinite or NaN.
    func write(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        // The most integers are counts of 0 or 1.
        case .integer(let value) where (0..<10).contains(value): bytes.append(UInt8(ascii: "0") + UInt8(value))
        case .integer(let value): bytes += String(value).utf8
        case .unsigned(let value): bytes += String(value).utf8
        case .number(let value):
            guard value.isFinite else {
                throw EncodingError.invalidValue(
                    value, EncodingError.Context(codingPath: [], debugDescription: "JSON knows no \(value)"))
            }
            let text = value.description
            bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
        case .text(let text): Self.write(text, to: &bytes)
        case .time(let date):
            bytes.append(UInt8(ascii: "\""))
            if !WireTime.append(date, to: &bytes) { bytes += WireJSON.timestamp(date).utf8 }
            bytes.append(UInt8(ascii: "\""))
        case .base64(let data):
            bytes.append(UInt8(ascii: "\""))
            bytes += data.base64EncodedData()
            bytes.append(UInt8(ascii: "\""))
        case .branch(let branch): try branch.write(to: &bytes)
        }
    }

    /// RFC 8259, section 7.
    static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            if JSONPlainBytes.end(in: utf8, from: 0) == utf8.count {
                bytes += utf8
            } else {
                for byte in utf8 { write(escaping: byte, to: &bytes) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func write(escaping byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes += #"\""#.utf8
        case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
        case 0x08: bytes += #"\b"#.utf8
        case 0x09: bytes += #"\t"#.utf8
        case 0x0a: bytes += #"\n"#.utf8
        case 0x0c: bytes += #"\f"#.utf8
        case 0x0d: bytes += #"\r"#.utf8
        case 0..<0x20: bytes += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
        default: bytes.append(byte)
        }
    }
}

extension Float {
    /// The number whose shortest text is the same.
    var written: Double { Double(description) ?? Double(self) }
}

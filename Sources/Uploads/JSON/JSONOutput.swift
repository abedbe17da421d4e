import Foundation

/// The bytes of a JSON text while they are being written, and the members of the objects in it that are not complete yet.
///
/// One text is written by one thread, and no access to these bytes lasts while another begins, so Swift need not check that at run time:
/// the checks took as many instructions as everything else.
final class JSONOutput {
    /// A member of an object: `"name":value` from `start` on, up to the comma before the next member.
    struct Member {
        var name: String
        var start: Int
    }

    @exclusivity(unchecked) var bytes: [UInt8] = []
    /// The members of the outer objects first.
    @exclusivity(unchecked) var members: [Member] = []

    init() {
        bytes.reserveCapacity(2048)
        members.reserveCapacity(64)
    }

    func put(_ mark: Unicode.Scalar) { bytes.append(UInt8(ascii: mark)) }

    func write(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }

    func writeNull() { bytes += "null".utf8 }

    func write(_ value: some BinaryInteger) {
        // The most integers are counts of 0 or 1.
        if value >= 0, value < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(value))
        } else {
            bytes += String(value).utf8
        }
    }

    /// - Throws: `EncodingError` for a number that is infinite or NaN.
    func write(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "JSON knows no \(value)"))
        }
        let text = value.description
        bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
    }

    /// RFC 8259, section 7.
    func write(_ text: String) {
        var text = text
        put("\"")
        text.withUTF8 { utf8 in
            if JSONPlainBytes.end(in: utf8, from: 0) == utf8.count {
                bytes += utf8
            } else {
                for byte in utf8 { write(escaping: byte) }
            }
        }
        put("\"")
    }

    private func write(escaping byte: UInt8) {
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

    func write(_ time: Date) {
        put("\"")
        if !WireTime.append(time, to: &bytes) { bytes += WireJSON.timestamp(time).utf8 }
        put("\"")
    }

    func write(_ data: Data) {
        put("\"")
        bytes += data.base64EncodedData()
        put("\"")
    }

    func write(_ value: JSONValue) throws {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .integer(let value): write(value)
        case .number(let value): try write(value)
        case .string(let value): write(value)
        case .array(let values):
            put("[")
            for (index, value) in values.enumerated() {
                if index > 0 { put(",") }
                try write(value)
            }
            put("]")
        case .object(let values):
            put("{")
            for (index, member) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { put(",") }
                write(member.key)
                put(":")
                try write(member.value)
            }
            put("}")
        }
    }

    /// Times, bytes and URLs as in ``WireJSON``.
    /// - Throws: `EncodingError`, and what the value throws.
    func write<Value: Encodable>(value: Value) throws {
        let type = Value.self
        if type == SharedJob.self, let order = value as? SharedJob {
            bytes += try order.json()
        } else if type == Date.self, let date = value as? Date {
            write(date)
        } else if type == JSONValue.self, let value = value as? JSONValue {
            try write(value)
        } else if type == Data.self, let data = value as? Data {
            write(data)
        } else if type == URL.self, let url = value as? URL {
            write(url.absoluteString)
        } else {
            let writer = JSONWriter(to: self)
            try value.encode(to: writer)
            writer.close()
        }
    }
}

extension Float {
    /// The number whose shortest text is the same.
    var written: Double { Double(description) ?? Double(self) }
}

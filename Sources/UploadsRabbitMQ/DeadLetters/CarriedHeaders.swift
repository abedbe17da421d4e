import Foundation
import RabbitMQ
import Uploads

/// The headers of a message as its dead letter and the ledger carry them: the headers themselves, or, if they are
/// nested too deep or too large, a text that shows them, and the reason.
///
/// A broker takes tables that are nested far deeper than this program may write, and all headers of a message must fit
/// into one frame together with those that a dead letter adds.
enum CarriedHeaders {
    /// Levels of nested tables and arrays, the headers themselves counted. Real headers have two or three levels.
    static let depthMaximum = 8
    /// Bytes of all headers on the wire: half a frame.
    static let bytesMaximum = 64 << 10
    /// Bytes of the text.
    static let textBytesMaximum = 16 << 10
    /// Bytes of a name (AMQP 0-9-1, section 4.2.5.1: a short string).
    private static let nameBytesMaximum = 255

    /// Why the headers are left out, for people.
    static let leftOutHeader = "headersLeftOut"
    /// The headers as text, for people: like JSON, cut if it grows too long.
    static let textHeader = "headersAsText"

    static func table(_ headers: Table) -> Table {
        guard let problem = problem(headers) else { return headers }
        return [leftOutHeader: .string(problem), textHeader: .string(text(headers))]
    }

    /// Why these headers cannot be carried as they are; nil if they can.
    static func problem(_ headers: Table) -> String? {
        var bytes = 0
        return problem(.table(headers), depth: 1, &bytes)
    }

    private static func problem(_ value: FieldValue, depth: Int, _ bytes: inout Int) -> String? {
        bytes += 10
        switch value {
        case .string(let text): bytes += text.utf8.count
        case .bytes(let data): bytes += data.count
        case .uint64: bytes += 20
        case .table(let table):
            guard depth <= depthMaximum else { return "they are nested more than \(depthMaximum) deep" }
            for (name, value) in table {
                guard name.utf8.count <= nameBytesMaximum else {
                    return "one has a name of more than \(nameBytesMaximum) bytes"
                }
                bytes += 1 + name.utf8.count
                if let problem = problem(value, depth: depth + 1, &bytes) { return problem }
            }
        case .array(let values):
            guard depth <= depthMaximum else { return "they are nested more than \(depthMaximum) deep" }
            for value in values {
                if let problem = problem(value, depth: depth + 1, &bytes) { return problem }
            }
        case .null, .bool, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .float, .double, .decimal,
            .timestamp:
            break
        }
        return bytes <= bytesMaximum ? nil : "they have more than \(bytesMaximum) bytes"
    }

    // MARK: Text

    /// Values deeper than ``depthMaximum``, or beyond ``textBytesMaximum``, are shown as `…`.
    static func text(_ headers: Table) -> String {
        var text = ""
        write(.table(headers), depth: 1, to: &text)
        return text.utf8Prefix(textBytesMaximum)
    }

    private static func write(_ value: FieldValue, depth: Int, to text: inout String) {
        guard text.utf8.count < textBytesMaximum else { return }
        switch value {
        case .table(let table):
            guard depth <= depthMaximum else { return text += "{…}" }
            text += "{"
            for (index, name) in table.keys.sorted().enumerated() where text.utf8.count < textBytesMaximum {
                text += (index == 0 ? "" : ", ") + "\"\(name)\": "
                if let value = table[name] { write(value, depth: depth + 1, to: &text) }
            }
            text += "}"
        case .array(let values):
            guard depth <= depthMaximum else { return text += "[…]" }
            text += "["
            for (index, value) in values.enumerated() where text.utf8.count < textBytesMaximum {
                if index > 0 { text += ", " }
                write(value, depth: depth + 1, to: &text)
            }
            text += "]"
        case .string(let string): text += "\"\(string.utf8Prefix(textBytesMaximum))\""
        case .bytes(let data): text += "(\(data.count) bytes)"
        case .bool(let flag): text += "\(flag)"
        case .uint64(let number): text += "\(number)"
        case .float(let number): text += "\(number)"
        case .double(let number): text += "\(number)"
        case .decimal(let scale, let number): text += "\(number)e-\(scale)"
        case .timestamp(let date): text += "(time \(date.timeIntervalSince1970))"
        case .null: text += "null"
        case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64: text += "\(value.integer ?? 0)"
        }
    }
}

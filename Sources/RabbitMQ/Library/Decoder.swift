import CRabbitMQ
import Foundation

/// Copies the library's values into Swift values, because the library uses its memory again for the next frames.
///
/// All data from the peer become values that ``Encoder`` can send again. Bytes in names that are not UTF-8 are
/// replaced, and names are then cut to the length that the protocol carries. Tables and arrays that nest deeper than
/// ``Names/depthMaximum`` become a text that says so.
enum Decoder {
    static func string(_ bytes: amqp_bytes_t) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }

    /// Text of the protocol's short kind. A replacement character takes three bytes, so 255 bytes may have become 765.
    static func name(_ bytes: amqp_bytes_t) -> String {
        let text = string(bytes)
        guard text.utf8.count > Names.bytesMaximum else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: Names.bytesMaximum)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    static func table(_ table: amqp_table_t, depth: Int = 0) -> Table {
        let count = Int(max(table.num_entries, 0))
        var result = Table(minimumCapacity: count)
        for index in 0..<count {
            let entry = table.entries[index]
            result[name(entry.key)] = value(entry.value, depth: depth)
        }
        return result
    }

    static func message(_ properties: amqp_basic_properties_t) -> Message {
        var message = Message()
        let flags = CInt(truncatingIfNeeded: properties._flags)
        func text(_ flag: CInt, _ bytes: amqp_bytes_t) -> String? { flags & flag == 0 ? nil : name(bytes) }
        message.isPersistent = flags & AMQP_BASIC_DELIVERY_MODE_FLAG != 0 && properties.delivery_mode == 2
        message.contentType = text(AMQP_BASIC_CONTENT_TYPE_FLAG, properties.content_type)
        message.contentEncoding = text(AMQP_BASIC_CONTENT_ENCODING_FLAG, properties.content_encoding)
        message.correlationID = text(AMQP_BASIC_CORRELATION_ID_FLAG, properties.correlation_id)
        message.replyTo = text(AMQP_BASIC_REPLY_TO_FLAG, properties.reply_to)
        message.expiration = text(AMQP_BASIC_EXPIRATION_FLAG, properties.expiration)
        message.messageID = text(AMQP_BASIC_MESSAGE_ID_FLAG, properties.message_id)
        message.type = text(AMQP_BASIC_TYPE_FLAG, properties.type)
        message.userID = text(AMQP_BASIC_USER_ID_FLAG, properties.user_id)
        message.appID = text(AMQP_BASIC_APP_ID_FLAG, properties.app_id)
        if flags & AMQP_BASIC_HEADERS_FLAG != 0 { message.headers = table(properties.headers) }
        if flags & AMQP_BASIC_PRIORITY_FLAG != 0 { message.priority = properties.priority }
        if flags & AMQP_BASIC_TIMESTAMP_FLAG != 0 { message.timestamp = date(properties.timestamp) }
        return message
    }

    /// - Parameter depth: the depth of the table or array that holds the value; the headers themselves have 0.
    static func value(_ field: amqp_field_value_t, depth: Int = 0) -> FieldValue {
        let value = field.value
        switch amqp_field_value_kind_t(rawValue: .init(field.kind)) {
        case AMQP_FIELD_KIND_BOOLEAN: return .bool(value.boolean != 0)
        case AMQP_FIELD_KIND_I8: return .int8(value.i8)
        case AMQP_FIELD_KIND_U8: return .uint8(value.u8)
        case AMQP_FIELD_KIND_I16: return .int16(value.i16)
        case AMQP_FIELD_KIND_U16: return .uint16(value.u16)
        case AMQP_FIELD_KIND_I32: return .int32(value.i32)
        case AMQP_FIELD_KIND_U32: return .uint32(value.u32)
        case AMQP_FIELD_KIND_I64: return .int64(value.i64)
        case AMQP_FIELD_KIND_U64: return .uint64(value.u64)
        case AMQP_FIELD_KIND_F32: return .float(value.f32)
        case AMQP_FIELD_KIND_F64: return .double(value.f64)
        case AMQP_FIELD_KIND_DECIMAL: return .decimal(scale: value.decimal.decimals, value: value.decimal.value)
        case AMQP_FIELD_KIND_UTF8: return text(value.bytes)
        case AMQP_FIELD_KIND_BYTES:
            return .bytes(Data(UnsafeRawBufferPointer(start: value.bytes.bytes, count: value.bytes.len)))
        case AMQP_FIELD_KIND_TIMESTAMP: return .timestamp(date(value.u64))
        case AMQP_FIELD_KIND_TABLE, AMQP_FIELD_KIND_ARRAY:
            guard depth < Names.depthMaximum else {
                return .string("left out: nested more than \(Names.depthMaximum) deep")
            }
            if field.kind == UInt8(AMQP_FIELD_KIND_TABLE.rawValue) {
                return .table(table(value.table, depth: depth + 1))
            }
            return .array(
                (0..<Int(max(value.array.num_entries, 0))).map {
                    Self.value(value.array.entries[$0], depth: depth + 1)
                })
        default: return .null
        }
    }

    /// The protocol's long string may hold any bytes; most are text.
    private static func text(_ bytes: amqp_bytes_t) -> FieldValue {
        let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
        if let text = String(validating: raw, as: UTF8.self) { return .string(text) }
        return .bytes(Data(raw))
    }

    private static func date(_ seconds: UInt64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

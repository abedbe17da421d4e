import CRabbitMQ
import Foundation

/// Makes our values of the library's, copying: its memory is used again for the next frames.
enum Decoder {
    static func string(_ bytes: amqp_bytes_t) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }

    static func table(_ table: amqp_table_t) -> Table {
        var result = Table(minimumCapacity: Int(table.num_entries))
        for index in 0..<Int(max(table.num_entries, 0)) {
            let entry = table.entries[index]
            result[string(entry.key)] = value(entry.value)
        }
        return result
    }

    static func message(_ properties: amqp_basic_properties_t) -> Message {
        var message = Message()
        let flags = CInt(truncatingIfNeeded: properties._flags)
        func text(_ flag: CInt, _ bytes: amqp_bytes_t) -> String? { flags & flag == 0 ? nil : string(bytes) }
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

    static func value(_ field: amqp_field_value_t) -> FieldValue {
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
        case AMQP_FIELD_KIND_TABLE: return .table(table(value.table))
        case AMQP_FIELD_KIND_ARRAY:
            return .array((0..<Int(max(value.array.num_entries, 0))).map { Self.value(value.array.entries[$0]) })
        default: return .null
        }
    }

    /// The protocol's long string is any bytes; most are text.
    private static func text(_ bytes: amqp_bytes_t) -> FieldValue {
        let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
        if let text = String(validating: raw, as: UTF8.self) { return .string(text) }
        return .bytes(Data(raw))
    }

    private static func date(_ seconds: UInt64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

import CRabbitMQ
import Foundation

/// Copies Swift values into the library's values, in a pool that lives until the frame is sent.
struct Encoder {
    let pool: UnsafeMutablePointer<amqp_pool_t>

    func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ data: Data) -> amqp_bytes_t { data.withUnsafeBytes(copy) }

    func table(_ table: Table) -> amqp_table_t {
        guard !table.isEmpty else { return amqp_empty_table }
        let entries = allocate(amqp_table_entry_t.self, table.count)
        for (index, (key, value)) in table.enumerated() {
            entries[index] = amqp_table_entry_t(key: bytes(key), value: self.value(value))
        }
        return amqp_table_t(num_entries: CInt(table.count), entries: entries)
    }

    func properties(_ message: Message) -> amqp_basic_properties_t {
        var properties = amqp_basic_properties_t()
        var flags = AMQP_BASIC_DELIVERY_MODE_FLAG
        properties.delivery_mode = message.isPersistent ? 2 : 1
        if !message.headers.isEmpty {
            properties.headers = table(message.headers)
            flags |= AMQP_BASIC_HEADERS_FLAG
        }
        func set(
            _ value: String?, _ path: WritableKeyPath<amqp_basic_properties_t, amqp_bytes_t>, _ flag: CInt
        ) {
            guard let value else { return }
            properties[keyPath: path] = bytes(value)
            flags |= flag
        }
        set(message.contentType, \.content_type, AMQP_BASIC_CONTENT_TYPE_FLAG)
        set(message.contentEncoding, \.content_encoding, AMQP_BASIC_CONTENT_ENCODING_FLAG)
        set(message.correlationID, \.correlation_id, AMQP_BASIC_CORRELATION_ID_FLAG)
        set(message.replyTo, \.reply_to, AMQP_BASIC_REPLY_TO_FLAG)
        set(message.expiration, \.expiration, AMQP_BASIC_EXPIRATION_FLAG)
        set(message.messageID, \.message_id, AMQP_BASIC_MESSAGE_ID_FLAG)
        set(message.type, \.type, AMQP_BASIC_TYPE_FLAG)
        set(message.userID, \.user_id, AMQP_BASIC_USER_ID_FLAG)
        set(message.appID, \.app_id, AMQP_BASIC_APP_ID_FLAG)
        if let priority = message.priority {
            properties.priority = priority
            flags |= AMQP_BASIC_PRIORITY_FLAG
        }
        if let timestamp = message.timestamp {
            properties.timestamp = Self.seconds(timestamp)
            flags |= AMQP_BASIC_TIMESTAMP_FLAG
        }
        properties._flags = amqp_flags_t(flags)
        return properties
    }

    private func value(_ value: FieldValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        func kind(_ kind: amqp_field_value_kind_t) { field.kind = UInt8(kind.rawValue) }
        switch value {
        case .string(let value):
            kind(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(value)
        case .bool(let value):
            kind(AMQP_FIELD_KIND_BOOLEAN)
            field.value.boolean = value ? 1 : 0
        case .int8(let value):
            kind(AMQP_FIELD_KIND_I8)
            field.value.i8 = value
        case .uint8(let value):
            kind(AMQP_FIELD_KIND_U8)
            field.value.u8 = value
        case .int16(let value):
            kind(AMQP_FIELD_KIND_I16)
            field.value.i16 = value
        case .uint16(let value):
            kind(AMQP_FIELD_KIND_U16)
            field.value.u16 = value
        case .int32(let value):
            kind(AMQP_FIELD_KIND_I32)
            field.value.i32 = value
        case .uint32(let value):
            kind(AMQP_FIELD_KIND_U32)
            field.value.u32 = value
        case .int64(let value):
            kind(AMQP_FIELD_KIND_I64)
            field.value.i64 = value
        case .uint64(let value):
            // RabbitMQ reads no unsigned 64-bit kind; a number beyond the signed range goes as text.
            if let fitting = Int64(exactly: value) {
                kind(AMQP_FIELD_KIND_I64)
                field.value.i64 = fitting
            } else {
                kind(AMQP_FIELD_KIND_UTF8)
                field.value.bytes = bytes(String(value))
            }
        case .float(let value):
            kind(AMQP_FIELD_KIND_F32)
            field.value.f32 = value
        case .double(let value):
            kind(AMQP_FIELD_KIND_F64)
            field.value.f64 = value
        case .decimal(let scale, let value):
            kind(AMQP_FIELD_KIND_DECIMAL)
            field.value.decimal = amqp_decimal_t(decimals: scale, value: value)
        case .bytes(let value):
            kind(AMQP_FIELD_KIND_BYTES)
            field.value.bytes = bytes(value)
        case .timestamp(let value):
            kind(AMQP_FIELD_KIND_TIMESTAMP)
            field.value.u64 = Self.seconds(value)
        case .table(let value):
            kind(AMQP_FIELD_KIND_TABLE)
            field.value.table = table(value)
        case .array(let values):
            kind(AMQP_FIELD_KIND_ARRAY)
            let entries = values.isEmpty ? nil : allocate(amqp_field_value_t.self, values.count)
            for (index, value) in values.enumerated() { entries?[index] = self.value(value) }
            field.value.array = amqp_array_t(num_entries: CInt(values.count), entries: entries)
        case .null:
            kind(AMQP_FIELD_KIND_VOID)
        }
        return field
    }

    /// Whole seconds since 1970, or the nearest number that the protocol has: a peer may send any of its 2^64 values.
    private static func seconds(_ date: Date) -> UInt64 {
        let seconds = date.timeIntervalSince1970
        return seconds < 0x1p64 ? seconds > 0 ? UInt64(seconds) : 0 : .max
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return amqp_empty_bytes }
        let room = allocate(UInt8.self, bytes.count)
        UnsafeMutableRawPointer(room).copyMemory(from: source, byteCount: bytes.count)
        return amqp_bytes_t(len: bytes.count, bytes: room)
    }

    private func allocate<Element>(_: Element.Type, _ count: Int) -> UnsafeMutablePointer<Element> {
        guard let room = amqp_pool_alloc(pool, count * MemoryLayout<Element>.stride) else {
            preconditionFailure("out of memory")
        }
        return room.bindMemory(to: Element.self, capacity: count)
    }
}

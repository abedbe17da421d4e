import CRabbitMQ

/// Caches the last names: deliveries come in runs with the same names, and comparing bytes is cheaper than making the
/// string again.
struct NameCache {
    private struct Entry {
        var text = ""

        mutating func callAsFunction(_ bytes: amqp_bytes_t) -> String {
            let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
            if text.utf8.count != raw.count || !text.utf8.elementsEqual(raw) { text = Decoder.string(bytes) }
            return text
        }
    }

    private var lastConsumerTag = Entry()
    private var lastExchange = Entry()
    private var lastRoutingKey = Entry()

    mutating func consumerTag(_ bytes: amqp_bytes_t) -> String { lastConsumerTag(bytes) }
    mutating func exchange(_ bytes: amqp_bytes_t) -> String { lastExchange(bytes) }
    mutating func routingKey(_ bytes: amqp_bytes_t) -> String { lastRoutingKey(bytes) }
}

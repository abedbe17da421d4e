/// The methods of AMQP 0-9-1 that an `AMQPFaultProxy` distinguishes; section 1.8 of the specification describes their fields.
enum AMQPMethod {
    case openChannel
    case selectConfirms
    case publish(exchange: String, routingKey: String)
    case deliver(tag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String)
    /// ack, nack and reject, from either side.
    case settle(tag: UInt64, multiple: Bool)
    case otherContent
    case other

    var carriesContent: Bool {
        switch self {
        case .publish, .deliver, .otherContent: true
        default: false
        }
    }

    /// - Parameter payload: the payload of a method frame.
    init(_ payload: ArraySlice<UInt8>) {
        var reader = AMQPReader(payload)
        let classID = reader.number(2)
        let methodID = reader.number(2)
        switch (classID, methodID) {
        case (20, 10): self = .openChannel
        case (85, 10): self = .selectConfirms
        case (60, 40):
            _ = reader.number(2)
            self = .publish(exchange: reader.shortString(), routingKey: reader.shortString())
        case (60, 60):
            _ = reader.shortString()
            self = .deliver(
                tag: reader.number(8), isRedelivered: reader.number(1) & 1 == 1, exchange: reader.shortString(),
                routingKey: reader.shortString())
        case (60, 80), (60, 120): self = .settle(tag: reader.number(8), multiple: reader.number(1) & 1 == 1)
        case (60, 90): self = .settle(tag: reader.number(8), multiple: false)
        case (60, 50), (60, 71): self = .otherContent
        default: self = .other
        }
    }
}

/// Reads the fields of a method; a missing field reads as 0 or empty.
struct AMQPReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    mutating func number(_ length: Int) -> UInt64 {
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func shortString() -> String {
        let length = Int(number(1))
        defer { bytes = bytes.dropFirst(length) }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}

public import Foundation
public import RabbitMQ

extension Fuzz {
    /// Headers that any program may set, and forged ones that a broker or a worker sets. Only `x-death` is left out: RabbitMQ 3.10 adds to
    /// the value that it finds under that name, and its own dead-letter worker dies if the value is a list of anything but tables. At its
    /// second death the node stops dead-lettering, for every queue of every namespace, until it is restarted. Other tests, without a
    /// broker, cover how this code reads such a header.
    public mutating func headers() -> Table {
        var table = Table()
        for _ in 0..<number(in: 0...3) {
            let name = pick([
                "maybeRepeated", "reason", "origin", "replayOf", "traceparent", "x-delivery-count", "CC",
                String(text().prefix(80)),
            ])
            table[name] = name == "CC" ? .array([]) : value(depth: 0)
        }
        return table
    }

    private mutating func value(depth: Int) -> FieldValue {
        switch number(in: 0...(depth < 12 ? 13 : 10)) {
        case 0: .string(String(text().prefix(2000)))
        case 1: .bool(chance(2))
        case 2: .int64(integer())
        case 3: .uint64(UInt64(bitPattern: integer()))
        case 4: .double(pick([double(), .nan, .infinity]))
        case 5: .timestamp(Date(timeIntervalSince1970: pick([0, 1.8e9, 9.3e18, 1.9e19])))
        case 6: .bytes(Data([0xFF, 0, 0x1B]))
        case 7: .decimal(scale: UInt8(number(in: 0...255)), value: .max)
        case 8: .int8(.min)
        case 9: .float(.infinity)
        case 10: .null
        case 11, 12: .array((0..<number(in: 0...3)).map { _ in value(depth: depth + 1) })
        default: deep()
        }
    }

    /// A value that nests as deep as a client can send.
    private mutating func deep() -> FieldValue {
        (0..<pick([3, 17, 30])).reduce(.table(["queue": "upload.notifier.0", "reason": "expired"])) { value, _ in
            .array([value])
        }
    }

    /// A message with this body, as a faulty program might publish it.
    public mutating func message(_ body: Data, type: String?) -> Message {
        var message = Message(body: body, contentType: "application/json", headers: headers(), type: type)
        if chance(6) {
            message.type = pick([
                nil, text(255), "upload.job.v2", "upload.baton.v1", "upload.failed", "upload.order.v1",
            ])
        }
        if chance(6) { message.contentType = pick([nil, "text/plain", text(255)]) }
        if chance(6) { message.messageID = text(255) }
        if chance(6) { message.correlationID = text(255) }
        if chance(6) { message.replyTo = pick([text(255), "amq.rabbitmq.reply-to", "upload.answer.none"]) }
        if chance(6) { message.contentEncoding = text(255) }
        if chance(6) { message.appID = text(255) }
        if chance(6) { message.priority = UInt8(number(in: 0...255)) }
        if chance(6) { message.timestamp = Date(timeIntervalSince1970: pick([0, 1.8e9, 9.3e18, 1.9e19])) }
        if chance(10) { message.expiration = pick(["0", "1", "1000"]) }
        if chance(10) { message.isPersistent = false }
        return message
    }

    /// A text of at most so many bytes.
    private mutating func text(_ maximum: Int) -> String {
        var text = String(text().prefix(maximum))
        while text.utf8.count > maximum { text.removeLast() }
        return text
    }
}

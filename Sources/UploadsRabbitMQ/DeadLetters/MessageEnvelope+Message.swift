import Foundation
import RabbitMQ
import Uploads

extension MessageEnvelope {
    /// The envelope of a message that a queue delivered.
    init(_ message: Message, queue: String?, exchange: String?, routingKey: String?) {
        self.init(
            type: message.type, contentType: message.contentType, messageID: message.messageID,
            headers: HeaderValues.json(CarriedHeaders.table(WireFormat.kept(message.headers))), queue: queue,
            exchange: exchange, routingKey: routingKey, replayOf: message.headers[WireFormat.replayHeader]?.integer)
        contentEncoding = message.contentEncoding
        correlationID = message.correlationID
        appID = message.appID
    }

    /// The envelope of a message from the dead-letter queue: with its earlier queue, exchange and key.
    init(dead message: Message, exchange: String, routingKey: String) {
        if let death = message.headers["x-death"]?.array?.first?.table {
            self.init(
                message, queue: death["queue"]?.string, exchange: death["exchange"]?.string,
                routingKey: death["routing-keys"]?.array?.first?.string ?? routingKey)
        } else {
            self.init(
                message, queue: message.headers[WireFormat.originHeader]?.string, exchange: exchange,
                routingKey: routingKey)
        }
    }

    /// The original message, as far as it is kept.
    func message(_ body: Data) -> Message {
        var message = Message(
            body: body, contentType: contentType, headers: WireFormat.kept(HeaderValues.table(headers)),
            messageID: messageID, type: type)
        message.contentEncoding = contentEncoding
        message.correlationID = correlationID
        message.appID = appID
        return message
    }
}

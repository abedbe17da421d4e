import Foundation

/// Assembles the frames of one channel's contents: a method, a header, then as many bodies as the header says.
struct ContentAssembler {
    enum Start: Hashable {
        case delivery(consumerTag: String, tag: UInt64, redelivered: Bool, exchange: String, routingKey: String)
        case returned(code: Int, text: String, exchange: String, routingKey: String)
        case got(tag: UInt64, redelivered: Bool, exchange: String, routingKey: String)
    }

    struct Content: Hashable {
        var start: Start
        var message: Message
    }

    private enum State {
        case idle
        case started(Start)
        case filling(Content, missing: Int)
    }

    /// More than any broker takes (512 MiB), so that a faulty peer cannot ask for more.
    static let bodyBytesMaximum: UInt64 = 512 << 20

    private var state = State.idle

    mutating func begin(_ start: Start) throws(RabbitMQError) {
        guard case .idle = state else { throw Self.outOfOrder("a method between the frames of a content") }
        state = .started(start)
    }

    /// - Returns: the content, if it has no body.
    mutating func header(_ properties: Message, bodyBytes: UInt64) throws(RabbitMQError) -> Content? {
        guard case .started(let start) = state else { throw Self.outOfOrder("a content header without its method") }
        guard bodyBytes <= Self.bodyBytesMaximum else {
            throw RabbitMQError(.frameError, "the broker announced a body of \(bodyBytes) bytes, which is too much")
        }
        var content = Content(start: start, message: properties)
        if bodyBytes == 0 {
            state = .idle
            return content
        }
        // Room grows with the bytes that really come; a header alone must not be able to claim memory.
        content.message.body.reserveCapacity(Int(min(bodyBytes, 1 << 20)))
        state = .filling(content, missing: Int(bodyBytes))
        return nil
    }

    /// - Returns: the content, once it is complete.
    mutating func body(_ bytes: UnsafeRawBufferPointer) throws(RabbitMQError) -> Content? {
        guard case .filling(var content, let missing) = state else {
            throw Self.outOfOrder("a body without its header")
        }
        guard bytes.count <= missing else { throw Self.outOfOrder("a body longer than its header said") }
        state = .idle
        content.message.body.append(contentsOf: bytes)
        if bytes.count == missing { return content }
        state = .filling(content, missing: missing - bytes.count)
        return nil
    }

    /// Checks that a method which is not part of a content comes between contents.
    func checkIdle() throws(RabbitMQError) {
        guard case .idle = state else { throw Self.outOfOrder("a method between the frames of a content") }
    }

    private static func outOfOrder(_ what: String) -> RabbitMQError {
        RabbitMQError(.frameError, "the broker sent \(what): the connection is given up and made anew")
    }
}

import Glibc
import Synchronization

/// One connection of an `AMQPFaultProxy`: two threads, one for each direction, and the state of its channels, which both share.
final class AMQPFaultProxyConnection: Sendable {
    /// A frame, or the frames of one message.
    private struct Unit {
        var bytes: [UInt8]
        var step: AMQPStep?
    }

    /// A message whose frames have not all arrived.
    private struct Partial {
        var bytes: [UInt8]
        var method: AMQPMethod
        var bodySize: Int?
        var body: [UInt8] = []
    }

    private struct Channel {
        var publishCount: UInt64 = 0
        var unconfirmed: [UInt64: AMQPStep.Message] = [:]
        var unacknowledged: [UInt64: AMQPStep.Message] = [:]

        /// Removes and returns the messages of a tag; 0 with `multiple` means all.
        static func take(
            _ tag: UInt64, multiple: Bool, from pending: inout [UInt64: AMQPStep.Message]
        ) -> [AMQPStep.Message] {
            let tags = multiple ? pending.keys.filter { tag == 0 || $0 <= tag }.sorted() : [tag]
            return tags.compactMap { pending.removeValue(forKey: $0) }
        }
    }

    private static let protocolHeaderLength = 8
    private static let frameBytesMaximum = 16 << 20

    private let client: CInt
    private let broker: CInt
    private let channels = Mutex<[UInt16: Channel]>([:])
    /// Held while a step is passed on and the closure of its rule runs.
    private let passing = Mutex(())

    init(client: CInt, broker: CInt) {
        self.client = client
        self.broker = broker
        for socket in [client, broker] {
            var one: CInt = 1
            setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// Passes on in one direction until one side ends.
    func run(toBroker: Bool, _ proxy: () -> AMQPFaultProxy?) {
        let source = toBroker ? client : broker
        let target = toBroker ? broker : client
        var partial: [UInt16: Partial] = [:]
        var isCut = false
        if toBroker { isCut = !pass(protocolHeader(), to: target, proxy) }
        while !isCut, let frame = readFrame(source) {
            guard let unit = gather(frame, toBroker, &partial) else { continue }
            isCut = !pass(unit, to: target, proxy)
        }
        // A stalled network hides the end of the peer's stream too.
        proxy()?.waitForHealing()
        guard !isCut else {
            shutdown(client, CInt(SHUT_RDWR))
            shutdown(broker, CInt(SHUT_RDWR))
            return
        }
        // No reset: the broker must receive all that the client has sent, even if the client no longer reads the answers.
        shutdown(target, CInt(toBroker ? SHUT_WR : SHUT_RDWR))
    }

    /// - Returns: false when the connection must end.
    private func pass(_ unit: Unit?, to target: CInt, _ proxy: () -> AMQPFaultProxy?) -> Bool {
        guard let unit, let proxy = proxy() else { return false }
        proxy.waitForHealing()
        guard let step = unit.step else { return write(unit.bytes, to: target) }
        switch proxy.decide(step) {
        case .forward: return write(unit.bytes, to: target)
        case .drop: return true
        case .cut: return false
        case .before(let run):
            return passing.withLock { _ in
                run()
                return false
            }
        case .after(let run):
            return passing.withLock { _ in
                let isWritten = send(unit.bytes, to: target)
                run()
                return isWritten
            }
        case .stall:
            proxy.stall()
            proxy.waitForHealing()
            return write(unit.bytes, to: target)
        }
    }

    private func write(_ bytes: [UInt8], to target: CInt) -> Bool {
        // Only waits for its turn. If the lock were held during `send`, a client that does not read would delay its own heartbeats.
        passing.withLock { _ in }
        // When the client is gone, the proxy still reads the broker's bytes to their end.
        return send(bytes, to: target) || target == client
    }

    private func send(_ bytes: [UInt8], to target: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(target, $0.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    // MARK: Frames

    private struct Frame {
        let type: UInt8
        let channel: UInt16
        let bytes: [UInt8]
        var payload: ArraySlice<UInt8> { bytes[7..<(bytes.count - 1)] }
    }

    private func protocolHeader() -> Unit? { read(Self.protocolHeaderLength, from: client).map { Unit(bytes: $0) } }

    private func readFrame(_ source: CInt) -> Frame? {
        guard let head = read(7, from: source) else { return nil }
        // A broker that wants another protocol version answers with a header in place of a frame; the client gives up.
        guard head[0] != UInt8(ascii: "A") else { return nil }
        var reader = AMQPReader(head[1...])
        let channel = UInt16(reader.number(2))
        let size = Int(reader.number(4))
        guard size <= Self.frameBytesMaximum, let rest = read(size + 1, from: source) else { return nil }
        return Frame(type: head[0], channel: channel, bytes: head + rest)
    }

    private func read(_ count: Int, from source: CInt) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var taken = 0
        while taken < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(source, $0.baseAddress?.advanced(by: taken), count - taken, 0)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            taken += more
        }
        return bytes
    }

    /// - Returns: nil while a message is incomplete.
    private func gather(_ frame: Frame, _ toBroker: Bool, _ partial: inout [UInt16: Partial]) -> Unit? {
        guard var message = partial.removeValue(forKey: frame.channel) else {
            guard frame.type == 1 else { return Unit(bytes: frame.bytes) }
            let method = AMQPMethod(frame.payload)
            if method.carriesContent {
                partial[frame.channel] = Partial(bytes: frame.bytes, method: method)
                return nil
            }
            return Unit(bytes: frame.bytes, step: note(method, on: frame.channel, toBroker))
        }
        message.bytes += frame.bytes
        if frame.type == 2 {
            // class, weight, body size
            var reader = AMQPReader(frame.payload.dropFirst(4))
            message.bodySize = Int(clamping: reader.number(8))
        } else {
            message.body += frame.payload
        }
        guard let size = message.bodySize, message.body.count >= size else {
            partial[frame.channel] = message
            return nil
        }
        return Unit(bytes: message.bytes, step: note(message.method, message.body, on: frame.channel))
    }

    // MARK: Channels

    var unacknowledged: [AMQPStep.Message] {
        channels.withLock { channels in channels.values.flatMap { Array($0.unacknowledged.values) } }
    }

    private func note(_ method: AMQPMethod, _ body: [UInt8], on channel: UInt16) -> AMQPStep? {
        channels.withLock { channels in
            switch method {
            case .publish(let exchange, let key):
                channels[channel, default: Channel()].publishCount += 1
                let tag = channels[channel]?.publishCount ?? 0
                let message = AMQPStep.Message(
                    exchange: exchange, routingKey: key, body: body, isRedelivered: false, channel: channel, tag: tag)
                channels[channel]?.unconfirmed[tag] = message
                return .publish(message)
            case .deliver(let tag, let isRedelivered, let exchange, let key):
                let message = AMQPStep.Message(
                    exchange: exchange, routingKey: key, body: body, isRedelivered: isRedelivered, channel: channel,
                    tag: tag)
                channels[channel, default: Channel()].unacknowledged[tag] = message
                return .deliver(message)
            default: return nil
            }
        }
    }

    private func note(_ method: AMQPMethod, on channel: UInt16, _ toBroker: Bool) -> AMQPStep? {
        channels.withLock { channels in
            switch method {
            case .openChannel, .selectConfirms:
                channels[channel] = Channel()
                return nil
            case .settle(let tag, let multiple):
                var known = channels[channel] ?? Channel()
                defer { channels[channel] = known }
                return toBroker
                    ? .acknowledge(Channel.take(tag, multiple: multiple, from: &known.unacknowledged))
                    : .confirm(Channel.take(tag, multiple: multiple, from: &known.unconfirmed))
            default: return nil
            }
        }
    }
}

import CRabbitMQ
import Foundation
import Glibc

/// One open connection of the library: the socket, its buffers, the incoming and outgoing frames. Belongs to the
/// connection's thread. Only `open` waits: reading takes the bytes that have arrived, and the caller sends at most
/// `sendBytesMaximum` after the socket became writable.
final class Link {
    let state: amqp_connection_state_t
    let descriptor: CInt
    /// The most bytes of a frame's payload.
    let payloadBytesMaximum: Int
    let channelMaximum: UInt16
    /// The agreed interval; zero if the broker wants no heartbeats.
    let heartbeat: Duration

    /// OpenSSL writes here as long as the connection exists.
    private let verdict: TLSVerdict?
    private let pool: UnsafeMutablePointer<amqp_pool_t>
    private var names = NameCache()
    var encoder: Encoder { Encoder(pool: pool) }

    /// Takes over a connection that is logged in.
    init(state: amqp_connection_state_t, verdict: TLSVerdict?) {
        self.state = state
        self.verdict = verdict
        descriptor = amqp_get_sockfd(state)
        payloadBytesMaximum = Int(amqp_get_frame_max(state)) - 8
        let channels = amqp_get_channel_max(state)
        channelMaximum = channels == 0 ? .max : UInt16(clamping: channels)
        heartbeat = .seconds(Int(amqp_get_heartbeat(state)))
        pool = .allocate(capacity: 1)
        init_amqp_pool(pool, 4096)
    }

    deinit {
        empty_amqp_pool(pool)
        pool.deallocate()
        amqp_destroy_connection(state)
    }

    /// How many bytes can be sent without waiting once `poll` has reported the socket as writable. Linux does that when
    /// a third of the send buffer is free, and it counts more than the bytes themselves.
    var sendBytesMaximum: Int {
        var size: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 else { return 8192 }
        return max(8192, Int(size) / 8)
    }

    /// Holds small writes together while `isOn`, so that a batch of frames is not a batch of packets.
    func cork(_ isOn: Bool) {
        var value: CInt = isOn ? 1 : 0
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// - Returns: the next complete frame, `nil` if there is none.
    func next() throws(RabbitMQError) -> Frame? {
        var frame = amqp_frame_t()
        var now = longshore_timeval(0, 0)
        let status = amqp_simple_wait_frame_noblock(state, &frame, &now)
        if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        try check(status, "reading")
        return decode(frame)
    }

    /// Returns the memory of a channel's frames to the library; values that `next` returned from there become invalid.
    func release(_ channel: UInt16) { amqp_maybe_release_buffers_on_channel(state, channel) }

    /// - Returns: the bytes sent.
    func sendPublish(_ request: PublishRequest, channel: UInt16) throws(RabbitMQError) -> Int {
        defer { recycle_amqp_pool(pool) }
        var publish = amqp_basic_publish_t()
        publish.exchange = encoder.bytes(request.exchange)
        publish.routing_key = encoder.bytes(request.routingKey)
        publish.mandatory = request.isMandatory ? 1 : 0
        try check(amqp_send_method(state, channel, AMQP_BASIC_PUBLISH_METHOD, &publish), "publishing")
        var properties = encoder.properties(request.message)
        var frame = amqp_frame_t()
        frame.frame_type = UInt8(AMQP_FRAME_HEADER)
        frame.channel = channel
        frame.payload.properties.class_id = UInt16(AMQP_BASIC_CLASS)
        frame.payload.properties.body_size = UInt64(request.message.body.count)
        let status = withUnsafeMutablePointer(to: &properties) { properties in
            frame.payload.properties.decoded = UnsafeMutableRawPointer(properties)
            return amqp_send_frame(state, &frame)
        }
        try check(status, "publishing")
        return 64 + request.exchange.utf8.count + request.routingKey.utf8.count
    }

    func sendBody(_ body: Data, from offset: Int, count: Int, channel: UInt16) throws(RabbitMQError) {
        let status = body.withUnsafeBytes { bytes in
            var frame = amqp_frame_t()
            frame.frame_type = UInt8(AMQP_FRAME_BODY)
            frame.channel = channel
            frame.payload.body_fragment = amqp_bytes_t(
                len: count, bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress?.advanced(by: offset)))
            return amqp_send_frame(state, &frame)
        }
        try check(status, "publishing")
    }

    func sendRaw<Arguments: BitwiseCopyable>(
        _ number: amqp_method_number_t, _ arguments: inout Arguments, channel: UInt16, subject: String
    ) throws(RabbitMQError) {
        try check(amqp_send_method(state, channel, number, &arguments), subject)
    }

    func recycle() { recycle_amqp_pool(pool) }

    private func check(_ status: CInt, _ what: String) throws(RabbitMQError) {
        if status != AMQP_STATUS_OK.rawValue { throw LibraryStatus.error(status, what) }
    }

    private func decode(_ frame: amqp_frame_t) -> Frame {
        let channel = frame.channel
        switch CInt(frame.frame_type) {
        case AMQP_FRAME_BODY:
            let bytes = frame.payload.body_fragment
            return .body(channel: channel, UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len))
        case AMQP_FRAME_HEADER:
            guard let decoded = frame.payload.properties.decoded,
                frame.payload.properties.class_id == UInt16(AMQP_BASIC_CLASS)
            else { return .ignored }
            let properties = decoded.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee
            return .header(
                channel: channel, Decoder.message(properties), bodyBytes: frame.payload.properties.body_size)
        case AMQP_FRAME_METHOD:
            guard let decoded = frame.payload.method.decoded else { return .ignored }
            return decode(method: frame.payload.method.id, UnsafeRawPointer(decoded), channel)
        default:
            return .ignored
        }
    }

    private func decode(method: amqp_method_number_t, _ decoded: UnsafeRawPointer, _ channel: UInt16) -> Frame {
        func arguments<T>(_: T.Type) -> T { decoded.assumingMemoryBound(to: T.self).pointee }
        switch method {
        case AMQP_BASIC_DELIVER_METHOD:
            let deliver = arguments(amqp_basic_deliver_t.self)
            return .content(
                channel: channel,
                .delivery(
                    consumerTag: names.consumerTag(deliver.consumer_tag), tag: deliver.delivery_tag,
                    redelivered: deliver.redelivered != 0, exchange: names.exchange(deliver.exchange),
                    routingKey: names.routingKey(deliver.routing_key)))
        case AMQP_BASIC_ACK_METHOD:
            let ack = arguments(amqp_basic_ack_t.self)
            return .confirm(channel: channel, tag: ack.delivery_tag, multiple: ack.multiple != 0, isNegative: false)
        case AMQP_BASIC_NACK_METHOD:
            let nack = arguments(amqp_basic_nack_t.self)
            return .confirm(channel: channel, tag: nack.delivery_tag, multiple: nack.multiple != 0, isNegative: true)
        case AMQP_BASIC_RETURN_METHOD:
            let back = arguments(amqp_basic_return_t.self)
            return .content(
                channel: channel,
                .returned(
                    code: Int(back.reply_code), text: Decoder.string(back.reply_text),
                    exchange: Decoder.string(back.exchange), routingKey: Decoder.string(back.routing_key)))
        case AMQP_BASIC_GET_OK_METHOD:
            let got = arguments(amqp_basic_get_ok_t.self)
            return .content(
                channel: channel,
                .got(
                    tag: got.delivery_tag, redelivered: got.redelivered != 0, exchange: Decoder.string(got.exchange),
                    routingKey: Decoder.string(got.routing_key)))
        case AMQP_BASIC_CANCEL_METHOD:
            let cancel = arguments(amqp_basic_cancel_t.self)
            return .consumerCancelled(
                channel: channel, tag: Decoder.string(cancel.consumer_tag), wantsAnswer: cancel.nowait == 0)
        case AMQP_CHANNEL_CLOSE_METHOD:
            let close = arguments(amqp_channel_close_t.self)
            return .channelClosed(
                channel: channel,
                Frame.Closing(
                    code: Int(close.reply_code), text: Decoder.string(close.reply_text),
                    method: UInt32(close.class_id) << 16 | UInt32(close.method_id)))
        case AMQP_CONNECTION_CLOSE_METHOD:
            let close = arguments(amqp_connection_close_t.self)
            return .connectionClosed(
                Frame.Closing(
                    code: Int(close.reply_code), text: Decoder.string(close.reply_text),
                    method: UInt32(close.class_id) << 16 | UInt32(close.method_id)))
        case AMQP_CONNECTION_CLOSE_OK_METHOD: return .connectionCloseConfirmed
        case AMQP_CONNECTION_BLOCKED_METHOD:
            return .blocked(reason: Decoder.string(arguments(amqp_connection_blocked_t.self).reason))
        case AMQP_CONNECTION_UNBLOCKED_METHOD: return .unblocked
        case AMQP_QUEUE_DECLARE_OK_METHOD:
            let declared = arguments(amqp_queue_declare_ok_t.self)
            return .answer(
                channel: channel,
                Frame.Answer(method: method, count: declared.message_count, consumers: declared.consumer_count))
        case AMQP_QUEUE_PURGE_OK_METHOD:
            let count = arguments(amqp_queue_purge_ok_t.self).message_count
            return .answer(channel: channel, Frame.Answer(method: method, count: count))
        default:
            return .answer(channel: channel, Frame.Answer(method: method))
        }
    }
}

import Glibc

/// A blocking socket with a buffer for bytes that were read ahead. It belongs to one thread, and closes the socket at its end.
final class SocketStream {
    private static let headBytesMaximum = 128 << 10
    let socket: CInt
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var start = 0
    private var end = 0

    init(_ socket: CInt) {
        self.socket = socket
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit {
        buffer.deallocate()
        close(socket)
    }

    var hasBuffered: Bool { start < end }

    /// Reads more bytes into the buffer, after the present ones.
    /// - Returns: false at the end of the stream, after an error, and when the buffer is full.
    private func fill() -> Bool {
        if start == end {
            start = 0
            end = 0
        } else if end == buffer.count, start > 0 {
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - start)]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            end -= start
            start = 0
        }
        guard end < buffer.count else { return false }
        while true {
            let count = recv(socket, buffer.baseAddress?.advanced(by: end), buffer.count - end, 0)
            if count < 0, errno == EINTR { continue }
            end += max(count, 0)
            return count > 0
        }
    }

    /// Reads a head up to the empty line.
    /// - Returns: nil when the stream ends before, or the head is too long.
    func readHead() -> HTTPHead? { read(until: [13, 10, 13, 10]).flatMap(HTTPHead.init) }

    /// Reads a line, and returns it without its end.
    func readLine() -> String? { read(until: [13, 10]) }

    private func read(until mark: [UInt8]) -> String? {
        var seen = 0
        while true {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            while seen + mark.count <= bytes.count {
                if bytes[seen] == mark[0], mark.indices.allSatisfy({ bytes[seen + $0] == mark[$0] }) {
                    start += seen + mark.count
                    return String(decoding: bytes[..<seen], as: UTF8.self)
                }
                seen += 1
            }
            guard bytes.count < Self.headBytesMaximum, fill() else { return nil }
        }
    }

    /// The next bytes, which stay to be read; fewer at the end of the stream.
    func peek(_ count: Int) -> String {
        while end - start < count, fill() {}
        return String(decoding: buffer[start..<min(end, start + count)], as: UTF8.self)
    }

    /// Hands over the buffered bytes, or the next ones that arrive.
    /// - Returns: the number of bytes; 0 at the end of the stream.
    func read(upTo count: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        guard start < end || fill() else { return 0 }
        let taken = min(count, end - start)
        body(UnsafeRawBufferPointer(rebasing: buffer[start..<start + taken]))
        start += taken
        return taken
    }

    /// - Returns: false when the other side accepts no more bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = send(
                socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func write(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes(write) }

    /// Whether bytes can be read, or the other side has ended the stream.
    var isReadable: Bool { hasBuffered || Self.wait(for: [self], milliseconds: 0)[0] }

    /// Waits until one of the streams can be read or has ended.
    static func wait(for streams: [SocketStream], milliseconds: CInt = -1) -> [Bool] {
        if streams.contains(where: \.hasBuffered) { return streams.map(\.hasBuffered) }
        var events = streams.map { pollfd(fd: $0.socket, events: CShort(POLLIN), revents: 0) }
        while poll(&events, nfds_t(events.count), milliseconds) < 0, errno == EINTR {}
        return events.map { $0.revents != 0 }
    }

    /// Passes all bytes on in both directions until one side ends the stream.
    func join(with other: SocketStream) {
        while true {
            let ready = Self.wait(for: [self, other])
            for (isReady, source, sink) in [(ready[0], self, other), (ready[1], other, self)] where isReady {
                var isTaken = false
                guard source.read(upTo: .max, { isTaken = sink.write($0) }) > 0, isTaken else { return }
            }
        }
    }

    /// Makes closing the socket reset the connection.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Ends the stream to the other side and reads its remaining bytes for a while, because an answer that is followed by a reset may be
    /// lost.
    func finish() {
        shutdown(socket, CInt(SHUT_WR))
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        while read(upTo: .max, { _ in }) > 0 {}
    }

    /// Waits until the other side has hung up, without reading its bytes.
    func waitForHangUp() {
        // POLLRDHUP of poll(2); Glibc shows it only with _GNU_SOURCE.
        var event = pollfd(fd: socket, events: 0x2000, revents: 0)
        while poll(&event, 1, -1) < 0, errno == EINTR {}
    }
}

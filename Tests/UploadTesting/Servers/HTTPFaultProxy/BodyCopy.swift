import Glibc

/// Copies one body from a socket to another, or to nowhere, a buffer at a time.
struct BodyCopy {
    enum End {
        case whole
        case limit
        case interrupted
        case sourceEnded
        case sinkEnded
    }

    let framing: HTTPHead.Framing
    let source: SocketStream
    let sink: SocketStream?
    /// The number of data bytes after which the copy ends.
    var bytesLeft = Int.max
    /// The pace; 0 sets no limit.
    var bytesPerSecond = 0
    /// The offset of the byte in which one bit is changed; nil changes none.
    var flippedOffset: Int?
    private var passedBytes = 0
    /// Called before each buffer; true ends the copy.
    var isInterrupted: () -> Bool = { false }
    var onBytes: (Int) -> Void = { _ in }
    var onData: ((UnsafeRawBufferPointer) -> Void)?

    init(framing: HTTPHead.Framing, source: SocketStream, sink: SocketStream?) {
        self.framing = framing
        self.source = source
        self.sink = sink
    }

    mutating func run() -> End {
        switch framing {
        case .none: .whole
        case .bytes(let count): move(count)
        case .untilClose: untilClose()
        case .chunked: chunks()
        }
    }

    private mutating func untilClose() -> End {
        let end = move(.max)
        return end == .sourceEnded ? .whole : end
    }

    private mutating func chunks() -> End {
        while true {
            guard let line = source.readLine() else { return .sourceEnded }
            guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else { return .sourceEnded }
            guard pass(line) else { return .sinkEnded }
            if size == 0 { break }
            let end = move(size)
            guard end == .whole else { return end }
            guard source.readLine() != nil else { return .sourceEnded }
            guard pass("") else { return .sinkEnded }
        }
        while true {
            guard let trailer = source.readLine() else { return .sourceEnded }
            guard pass(trailer) else { return .sinkEnded }
            if trailer.isEmpty { return .whole }
        }
    }

    private func pass(_ line: String) -> Bool { sink?.write(line + "\r\n") ?? true }

    private func write(_ bytes: UnsafeRawBufferPointer, to sink: SocketStream) -> Bool {
        guard let index = flippedOffset.map({ $0 - passedBytes }), bytes.indices.contains(index) else {
            return sink.write(bytes)
        }
        var copy = Array(bytes)
        copy[index] ^= 1
        return copy.withUnsafeBytes(sink.write)
    }

    private mutating func move(_ count: Int) -> End {
        var left = count
        while left > 0 {
            if bytesLeft == 0 { return .limit }
            if isInterrupted() { return .interrupted }
            var wanted = min(left, bytesLeft)
            if bytesPerSecond > 0 { wanted = min(wanted, max(bytesPerSecond / 50, 1)) }
            var isTaken = true
            let taken = source.read(upTo: wanted) { bytes in
                onData?(bytes)
                if let sink { isTaken = write(bytes, to: sink) }
            }
            guard taken > 0 else { return .sourceEnded }
            guard isTaken else { return .sinkEnded }
            onBytes(taken)
            passedBytes += taken
            left -= taken
            bytesLeft -= taken
            if bytesPerSecond > 0 { usleep(UInt32(clamping: taken * 1_000_000 / bytesPerSecond)) }
        }
        return .whole
    }
}

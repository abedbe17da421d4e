import AsyncHTTPClient
import Crypto
import NIOCore
import Synchronization
import Uploads

/// A source's bytes as the body of a request, in pieces of 256 KiB: small enough that a slow line shows progress within the
/// time limit, cheap because they share the buffer that was read.
struct HTTPBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    static let pieceBytes = 256 << 10
    /// Bytes that may wait to be written: two of the source's buffers, and no more than this.
    static let unwrittenBytesMaximum = 1 << 20

    /// Bytes that are taken at most before a closed connection is noticed: what waits to be written, and what the system takes.
    static let idleBytesMaximum: Int64 = 4 << 20

    /// Bytes of the whole body, what stands around the source's included.
    let size: Int64
    /// Those that may write it. The client takes pieces as long as nobody tells it to stop; an event loop that gets no time on a busy
    /// machine tells nobody, and the whole file would be in memory. So it is waited for.
    private var loops: [any EventLoop] = []
    private let source: any AsyncSequence<SourceBuffer, any Error> & Sendable
    private let head: [UInt8]
    private let tail: [UInt8]
    private let sent: @Sendable (Int) -> Void
    private let takesMD5: Bool
    private let progress = ProgressBox()
    /// The number of the request that sends it. The client may begin to read a body after its request has failed: those bytes must not be
    /// counted into the request that followed.
    private var pass = 0

    /// - Parameters:
    ///   - size: of the source's bytes.
    ///   - head: goes before them, and is not told as sent.
    ///   - tail: the same after them, once the source has come to its end.
    ///   - takesMD5: whether ``md5`` is taken of what is sent.
    ///   - sent: told of the source's bytes as they are sent, of each once.
    init(
        source: any AsyncSequence<SourceBuffer, any Error> & Sendable, size: Int64, head: [UInt8] = [],
        tail: [UInt8] = [], takesMD5: Bool = false, sent: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.size = size + Int64(head.count + tail.count)
        self.head = head
        self.tail = tail
        self.takesMD5 = takesMD5
        self.sent = sent
    }

    /// Whether all bytes were taken.
    var isComplete: Bool { progress.value.withLock { $0.bytes } == size }
    var bytesTaken: Int64 { progress.value.withLock { $0.bytes } }
    /// Of all bytes of the last request, in hexadecimal; nil before all were taken, and where it is not taken.
    var md5: String? { progress.value.withLock { $0.md5 } }
    /// When a piece was last taken.
    var lastMove: ContinuousClock.Instant { progress.value.withLock { $0.lastMove } }
    /// Why the source could not be read to its end.
    var failure: (any Error)? { progress.value.withLock { $0.failure } }

    /// The same for a client with these event loops.
    func written(by loops: [any EventLoop]) -> HTTPBody {
        var body = self
        body.loops = loops
        return body
    }

    /// The body of one request, from its beginning. From now on a reader of an earlier request gets a `CancellationError`.
    func stream() -> HTTPClientRequest.Body { .stream(begun(), length: .known(size)) }

    private func begun() -> HTTPBody {
        var body = self
        body.pass = progress.value.withLock { progress in
            progress.pass += 1
            progress.bytes = 0
            progress.sourceBytes = 0
            progress.md5 = takesMD5 && size == 0 ? Hexadecimal.text(of: Insecure.MD5().finalize()) : nil
            return progress.pass
        }
        return body
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(
            source: source.makeAsyncIterator(), size: size, head: head, tail: tail, takesMD5: takesMD5, sent: sent,
            progress: progress, pass: pass, loops: loops)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any AsyncIteratorProtocol<SourceBuffer, any Error>
        fileprivate let sent: @Sendable (Int) -> Void
        fileprivate let progress: ProgressBox
        fileprivate let loops: [any EventLoop]
        private let pass: Int
        private let size: Int64
        private var md5: Insecure.MD5?
        private var rest: ByteBuffer
        /// Whether what is being passed on are the source's bytes.
        private var isSource = false
        private var tail: [UInt8]?
        private var unwritten = 0
        private var unwrittenMaximum = HTTPBody.pieceBytes

        fileprivate init(
            source: any AsyncIteratorProtocol<SourceBuffer, any Error>, size: Int64, head: [UInt8], tail: [UInt8],
            takesMD5: Bool, sent: @escaping @Sendable (Int) -> Void, progress: ProgressBox, pass: Int,
            loops: [any EventLoop]
        ) {
            self.size = size
            md5 = takesMD5 ? Insecure.MD5() : nil
            rest = ByteBuffer(bytes: head)
            self.tail = tail
            self.loops = loops
            self.source = source
            self.sent = sent
            self.progress = progress
            self.pass = pass
        }

        mutating func next() async throws -> ByteBuffer? {
            try progress.update(pass) { $0.lastMove = .now }
            if unwritten >= unwrittenMaximum {
                // They have done what they were given before once they do this.
                for turn in loops.map({ $0.submit {} }) { try await turn.get() }
                unwritten = 0
            }
            while rest.readableBytes == 0 {
                do {
                    if tail != nil, let buffer = try await source.next(isolation: nil) {
                        rest = ByteBuffer(bytes: buffer)
                        unwrittenMaximum = Swift.min(2 * buffer.count, HTTPBody.unwrittenBytesMaximum)
                        isSource = true
                    } else {
                        guard let last = tail else { return nil }
                        rest = ByteBuffer(bytes: last)
                        isSource = false
                        tail = nil
                    }
                } catch {
                    try progress.update(pass) { $0.failure = error }
                    throw error
                }
            }
            let piece = rest.readSlice(length: Swift.min(rest.readableBytes, HTTPBody.pieceBytes))
            let count = piece?.readableBytes ?? 0
            piece?.withUnsafeReadableBytes { md5?.update(bufferPointer: $0) }
            let newCount = try progress.update(pass) { progress in
                progress.lastMove = .now
                let newCount = progress.take(count, isSource: isSource)
                // The client may ask for nothing behind the last byte.
                if progress.bytes == size { progress.md5 = md5.map { Hexadecimal.text(of: $0.finalize()) } }
                return newCount
            }
            unwritten += count
            if newCount > 0 { sent(newCount) }
            return piece
        }
    }

    fileprivate final class ProgressBox: Sendable {
        struct Value {
            var bytes: Int64 = 0
            /// The source's among them.
            var sourceBytes: Int64 = 0
            /// Of the source's bytes, the most that any pass has come to.
            var sentBytes: Int64 = 0
            var lastMove = ContinuousClock.now
            var md5: String?
            var failure: (any Error)?
            /// How many requests have had it.
            var pass = 0

            /// - Returns: how many of the bytes no pass before has sent.
            mutating func take(_ count: Int, isSource: Bool) -> Int {
                bytes += Int64(count)
                guard isSource else { return 0 }
                sourceBytes += Int64(count)
                defer { sentBytes = Swift.max(sentBytes, sourceBytes) }
                return Int(Swift.max(0, sourceBytes - sentBytes))
            }
        }

        let value = Mutex(Value())

        /// - Throws: `CancellationError` where another pass has begun.
        func update<Result>(_ pass: Int, _ body: (inout Value) -> Result) throws -> Result {
            try value.withLock { value in
                guard value.pass == pass else { throw CancellationError() }
                return body(&value)
            }
        }
    }
}

extension HTTPBody {
    /// All of it at once, from its beginning.
    /// - Throws: what the source throws; `sourceChanged` when it has not the size that the job says; `interrupted`.
    func collected(for displayURL: String) async throws(UploadError) -> ByteBuffer {
        var buffer = ByteBuffer()
        do {
            for try await var piece in begun() {
                if buffer.readableBytes == 0 { buffer = piece } else { buffer.writeBuffer(&piece) }
            }
        } catch {
            if let error = error as? UploadError { throw error }
            if Task.isCancelled { throw UploadError(.interrupted, "the request to \(displayURL) was interrupted") }
            throw UploadError(source: error, of: displayURL)
        }
        guard Int64(buffer.readableBytes) == size else { throw UploadError(sizeOf: displayURL) }
        return buffer
    }
}

import AsyncHTTPClient
import Crypto
import HTTPCalls
import NIOCore
import Synchronization
import Uploads

/// A source's bytes as the body of a request, in pieces of 256 KiB: small enough that a slow connection shows progress within the time
/// limit, and cheap because they share the buffer that was read.
struct HTTPBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    static let pieceBytes = 256 << 10
    /// The most bytes that may wait to be written: two of the source's buffers.
    static let unwrittenBytesMaximum = 1 << 20

    /// The most bytes that are taken before a closed connection is noticed: the bytes that wait to be written, and the
    /// bytes that the system buffers.
    static let idleBytesMaximum: Int64 = 4 << 20

    /// Bytes of the whole body, including those before and after the source's bytes.
    let size: Int64
    /// The event loops that may write the body. The client takes pieces until an event loop tells it to stop. On a busy machine a loop
    /// may get no time to do so, and the whole file would end up in memory; so the body waits for the loops.
    private var loops: [any EventLoop] = []
    private let source: any AsyncSequence<any SourceBuffer, any Error> & Sendable
    private let head: [UInt8]
    private let tail: [UInt8]
    private let sent: @Sendable (Int) -> Void
    private let takesMD5: Bool
    private let file: SourceFileRange?
    private let progress = ProgressBox()
    /// The number of the request that sends the body. The client may begin to read a body after its request has failed: those bytes must
    /// not count for the request that followed.
    private var pass = 0

    /// - Parameters:
    ///   - size: the number of the source's bytes.
    ///   - head: bytes before the source's bytes; not reported as sent.
    ///   - tail: bytes after the source's bytes, once the source has come to its end; not reported as sent.
    ///   - takesMD5: whether to compute ``md5`` over the sent bytes.
    ///   - file: where the bytes lie, if they may be sent without passing the program; nothing can be before, after or computed over them.
    ///   - sent: called with the number of the source's bytes as they are sent, once for each byte.
    init(
        source: any AsyncSequence<any SourceBuffer, any Error> & Sendable, size: Int64, head: [UInt8] = [],
        tail: [UInt8] = [], takesMD5: Bool = false, file: SourceFileRange? = nil,
        sent: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.file = takesMD5 || !head.isEmpty || !tail.isEmpty ? nil : file
        self.size = size + Int64(head.count + tail.count)
        self.head = head
        self.tail = tail
        self.takesMD5 = takesMD5
        self.sent = sent
    }

    /// Whether all bytes were taken.
    var isComplete: Bool { progress.value.withLock { $0.bytes } == size }
    var bytesTaken: Int64 { progress.value.withLock { $0.bytes } }
    /// The MD5 of all bytes of the last request, in hexadecimal; nil before all bytes were taken, and if it is not computed.
    var md5: String? { progress.value.withLock { $0.md5 } }
    /// When a piece was last taken.
    var lastMove: ContinuousClock.Instant { progress.value.withLock { $0.lastMove } }
    /// The error with which reading the source ended.
    var failure: (any Error)? { progress.value.withLock { $0.failure } }

    /// The same body for a client with these event loops.
    func written(by loops: [any EventLoop]) -> HTTPBody {
        var body = self
        body.loops = loops
        return body
    }

    /// The body of one request, from its beginning. From now on a reader of an earlier request gets a `CancellationError`.
    func stream() -> HTTPClientRequest.Body { .stream(begun(), length: .known(size)) }

    /// The body for a connection that sends from a file; nil where the bytes have to pass the program.
    var fileBody: HTTPFileBody? {
        guard let file, !isFileRefused else { return nil }
        return HTTPFileBody(file) {
            let body = begun()
            return { body.take($0) }
        } refuse: {
            progress.value.withLock { $0.isFileRefused = true }
        }
    }

    /// Whether the system could not send from the file; the program can perhaps read it, or see why not.
    var isFileRefused: Bool { progress.value.withLock { $0.isFileRefused } }

    private func take(_ count: Int) {
        let newCount = try? progress.update(pass) { progress in
            progress.lastMove = .now
            return progress.take(count, isSource: true)
        }
        if let newCount, newCount > 0 { sent(newCount) }
    }

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
        fileprivate var source: any AsyncIteratorProtocol<any SourceBuffer, any Error>
        fileprivate let sent: @Sendable (Int) -> Void
        fileprivate let progress: ProgressBox
        fileprivate let loops: [any EventLoop]
        private let pass: Int
        private let size: Int64
        private var md5: Insecure.MD5?
        private var rest: ByteBuffer
        /// Whether the current bytes come from the source.
        private var isSource = false
        private var tail: [UInt8]?
        private var unwritten = 0
        private var unwrittenMaximum = HTTPBody.pieceBytes

        fileprivate init(
            source: any AsyncIteratorProtocol<any SourceBuffer, any Error>, size: Int64, head: [UInt8], tail: [UInt8],
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
                // When the loops have done this, they have done everything that they were given before.
                for turn in loops.map({ $0.submit {} }) { try await turn.get() }
                unwritten = 0
            }
            while rest.readableBytes == 0 {
                do {
                    if tail != nil, let buffer = try await source.next(isolation: nil) {
                        rest = ByteBuffer(buffer)
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
                // The client may not ask again after the last byte.
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
            /// The source's bytes among them.
            var sourceBytes: Int64 = 0
            /// The most bytes of the source that any request has sent.
            var sentBytes: Int64 = 0
            var lastMove = ContinuousClock.now
            var md5: String?
            var failure: (any Error)?
            var isFileRefused = false
            /// The number of requests that have sent the body.
            var pass = 0

            /// - Returns: how many of these bytes no earlier request has sent.
            mutating func take(_ count: Int, isSource: Bool) -> Int {
                bytes += Int64(count)
                guard isSource else { return 0 }
                sourceBytes += Int64(count)
                defer { sentBytes = Swift.max(sentBytes, sourceBytes) }
                return Int(Swift.max(0, sourceBytes - sentBytes))
            }
        }

        let value = Mutex(Value())

        /// - Throws: `CancellationError` when another request has begun.
        func update<Result>(_ pass: Int, _ body: (inout Value) -> Result) throws -> Result {
            try value.withLock { value in
                guard value.pass == pass else { throw CancellationError() }
                return body(&value)
            }
        }
    }
}

extension ByteBuffer {
    /// The buffer itself if it is one already, else a copy.
    fileprivate init(_ buffer: any SourceBuffer) {
        // Only the target that reads files knows that a `ByteBuffer` is a source's buffer.
        self = (buffer as Any) as? ByteBuffer ?? buffer.withUnsafeBytes { ByteBuffer(bytes: $0) }
    }
}

extension HTTPBody {
    /// All bytes at once, from the beginning.
    /// - Throws: the source's error; `sourceChanged` when the source has another size than the job says; `interrupted`.
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

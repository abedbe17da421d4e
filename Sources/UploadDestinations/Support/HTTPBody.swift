import NIOCore
import Synchronization
import Uploads

/// A source's bytes as the body of a request, in pieces of 256 KiB: small enough that a slow line shows progress within the
/// time limit, cheap because they share the buffer that was read.
struct HTTPBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    static let pieceBytes = 256 << 10

    let size: Int64
    private let source: any AsyncSequence<SourceBuffer, any Error> & Sendable
    private let sent: @Sendable (Int) -> Void
    private let progress = ProgressBox()

    init(
        source: any AsyncSequence<SourceBuffer, any Error> & Sendable, size: Int64,
        sent: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.size = size
        self.sent = sent
    }

    /// Whether all bytes were taken.
    var isComplete: Bool { progress.value.withLock { $0.bytes } == size }
    /// When a piece was last taken.
    var lastMove: ContinuousClock.Instant { progress.value.withLock { $0.lastMove } }
    /// Why the source could not be read to its end.
    var failure: (any Error)? { progress.value.withLock { $0.failure } }

    func makeAsyncIterator() -> Iterator {
        Iterator(source: source.makeAsyncIterator(), sent: sent, progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any AsyncIteratorProtocol<SourceBuffer, any Error>
        fileprivate let sent: @Sendable (Int) -> Void
        fileprivate let progress: ProgressBox
        private var rest = ByteBuffer()

        fileprivate init(
            source: any AsyncIteratorProtocol<SourceBuffer, any Error>, sent: @escaping @Sendable (Int) -> Void,
            progress: ProgressBox
        ) {
            self.source = source
            self.sent = sent
            self.progress = progress
        }

        mutating func next() async throws -> ByteBuffer? {
            progress.value.withLock { $0.lastMove = .now }
            while rest.readableBytes == 0 {
                do {
                    guard let buffer = try await source.next(isolation: nil) else { return nil }
                    rest = ByteBuffer(bytes: buffer)
                } catch {
                    progress.value.withLock { $0.failure = error }
                    throw error
                }
            }
            let piece = rest.readSlice(length: Swift.min(rest.readableBytes, HTTPBody.pieceBytes))
            let count = piece?.readableBytes ?? 0
            progress.value.withLock { progress in
                progress.bytes += Int64(count)
                progress.lastMove = .now
            }
            sent(count)
            return piece
        }
    }

    fileprivate final class ProgressBox: Sendable {
        struct Value {
            var bytes: Int64 = 0
            var lastMove = ContinuousClock.now
            var failure: (any Error)?
        }

        let value = Mutex(Value())
    }
}

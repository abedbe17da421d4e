import Synchronization
public import Uploads

/// A source of patterned bytes, made on demand. It counts how they are read.
public final class CountedSource: UploadSource {
    public static let bufferBytes = 1 << 20

    private struct Counts {
        var readings = 0
        var bytesRead: Int64 = 0
        var largestBufferBytes = 0
        var underWay = 0
        var mostBuffersAhead = 0
    }

    public let size: Int64
    private let bufferBytes: Int64
    private let pattern: [UInt8]
    private let counts = Mutex(Counts())
    /// The error to throw, and the byte at which to throw it.
    private let failure: (at: Int64, error: UploadError)?

    /// - Parameter failure: the error to throw instead of the first buffer that begins at or after this byte.
    public init(
        size: Int64, seed: UInt8 = 1, bufferBytes: Int = CountedSource.bufferBytes,
        failure: (at: Int64, error: UploadError)? = nil
    ) {
        self.size = size
        self.bufferBytes = Int64(bufferBytes)
        self.failure = failure
        pattern = DestinationConformance.bytes(65_521, seed: seed)
    }

    /// - Parameter changesAt: the byte from which on the source reports that the file has changed.
    public convenience init(size: Int64, changesAt: Int64, bufferBytes: Int = CountedSource.bufferBytes) {
        let error = UploadError(.sourceChanged, "it is another one: enqueue it again")
        self.init(size: size, bufferBytes: bufferBytes, failure: (changesAt, error))
    }

    public var readings: Int { counts.withLock(\.readings) }
    public var bytesRead: Int64 { counts.withLock(\.bytesRead) }
    public var largestBufferBytes: Int { counts.withLock(\.largestBufferBytes) }
    /// The most buffers that were requested at the same time.
    public var mostBuffersAhead: Int { counts.withLock(\.mostBuffersAhead) }

    public func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        counts.withLock { $0.readings += 1 }
        let offset = Mutex(range.lowerBound)
        return AsyncThrowingStream<any SourceBuffer, any Error> {
            self.counts.withLock { counts in
                counts.underWay += 1
                counts.mostBuffersAhead = max(counts.mostBuffersAhead, counts.underWay)
            }
            defer { self.counts.withLock { $0.underWay -= 1 } }
            let start = offset.withLock { offset in
                defer { offset = min(range.upperBound, offset + self.bufferBytes) }
                return offset
            }
            guard start < range.upperBound else { return nil }
            if let failure = self.failure, failure.at <= start { throw failure.error }
            let count = Int(min(range.upperBound - start, self.bufferBytes))
            var buffer: [UInt8] = []
            buffer.reserveCapacity(count)
            var position = Int(start % Int64(self.pattern.count))
            while buffer.count < count {
                let piece = self.pattern[position...].prefix(count - buffer.count)
                buffer += piece
                position = 0
            }
            self.counts.withLock { counts in
                counts.bytesRead += Int64(count)
                counts.largestBufferBytes = max(counts.largestBufferBytes, count)
            }
            return buffer
        }
    }

    public func verifyUnchanged() async throws(UploadError) {}

    public func close() async {}
}

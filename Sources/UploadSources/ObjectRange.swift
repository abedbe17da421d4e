import AsyncAlgorithms
import Uploads

/// Reads a range of an object through its driver: at most one buffer ahead of its consumer, or several pieces at the same time where that pays
/// (``PiecesAhead``). An object that is read as a whole is compared with the digests that the destination named, before the last buffer
/// is handed out.
struct ObjectRange: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    let range: Range<Int64>
    let source: ObjectSource

    func makeAsyncIterator() -> Iterator { Iterator(of: self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Buffers {
            case inOrder(Reading.Iterator)
            case ahead(PiecesAhead)
        }

        private let range: ObjectRange
        private var buffers: Buffers
        private var left: Int64
        private var digest: RunningDigest

        init(of range: ObjectRange) {
            self.range = range
            buffers = PiecesAhead(range).map { .ahead($0) } ?? .inOrder(Reading.Iterator(range))
            left = Int64(range.range.count)
            let isWhole = range.range == 0..<range.source.size
            digest = isWhole ? RunningDigest(comparing: range.source.object.digests) : RunningDigest()
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            guard left > 0 else { return nil }
            guard let buffer = try await nextBuffer(), !buffer.isEmpty else {
                if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
                throw UploadError(
                    .networkFailure,
                    "\(range.source.job.destination.displayText) ended \(left) bytes before the end of the requested range: check the network and its server"
                )
            }
            guard Int64(buffer.count) <= left else { throw UploadError.sourceChanged(range.source.job.destination) }
            left -= Int64(buffer.count)
            // Only the end of the driver's read shows whether more bytes come, or whether the driver found an error.
            if left == 0, try await nextBuffer() != nil {
                throw UploadError.sourceChanged(range.source.job.destination)
            }
            if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            buffer.withUnsafeBytes { digest.update($0) }
            if left == 0, digest.digests.contradicts(range.source.object.digests) {
                throw UploadError(
                    .sourceChanged,
                    "\(range.source.job.destination.displayText) does not match its own digests: look at it, then run the job again",
                    retry: .never)
            }
            return buffer
        }

        private mutating func nextBuffer() async throws -> [UInt8]? {
            switch buffers {
            case .inOrder(var reading):
                let buffer = try await reading.next()
                buffers = .inOrder(reading)
                return buffer
            case .ahead(var pieces):
                if let buffer = try await pieces.next() {
                    buffers = .ahead(pieces)
                    return buffer
                }
                guard let rest = pieces.rest else { return nil }
                buffers = .inOrder(Reading.Iterator(rest))
                return try await nextBuffer()
            }
        }
    }

    /// The driver's read, which goes on as long as the iterator exists.
    final class Reading: Sendable {
        struct Iterator {
            private let reading: Reading
            private var buffers: AsyncThrowingChannel<[UInt8], any Error>.AsyncIterator

            init(_ range: ObjectRange) {
                reading = Reading(range)
                buffers = reading.buffers.makeAsyncIterator()
            }

            mutating func next() async throws -> [UInt8]? { try await buffers.next() }
        }

        let buffers = AsyncThrowingChannel<[UInt8], any Error>()
        private let task: Task<Void, Never>

        init(_ range: ObjectRange) {
            let source = range.source
            task = Task { [buffers] in
                guard !range.range.isEmpty else { return buffers.finish() }
                do throws(UploadError) {
                    try await source.origin.read(source.object, of: source.job, range.range) {
                        buffer async throws(UploadError) in
                        await buffers.send(buffer)
                        if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
                    }
                    buffers.finish()
                } catch {
                    buffers.fail(await source.judged(error))
                }
            }
        }

        deinit { task.cancel() }
    }
}

extension UploadError {
    /// The error for an object at a destination that changed while it was to be carried elsewhere.
    static func sourceChanged(_ origin: DestinationReference) -> UploadError {
        UploadError(
            .sourceChanged,
            "\(origin.displayText) has changed since the job began: run the job again to carry the present object",
            retry: .never)
    }
}

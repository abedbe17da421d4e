import AsyncAlgorithms
import Uploads

/// Reads a range of an object through its driver, at most one buffer ahead of its consumer. An object that is read as a whole is
/// compared with the digests that the destination named, before the last buffer is handed out.
struct ObjectRange: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    let range: Range<Int64>
    let source: ObjectSource

    func makeAsyncIterator() -> Iterator { Iterator(Reading(self), of: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let reading: Reading
        private let range: ObjectRange
        private var buffers: AsyncThrowingChannel<[UInt8], any Error>.AsyncIterator
        private var left: Int64
        private var digest: RunningDigest

        init(_ reading: Reading, of range: ObjectRange) {
            self.reading = reading
            self.range = range
            buffers = reading.buffers.makeAsyncIterator()
            left = Int64(range.range.count)
            let isWhole = range.range == 0..<range.source.size
            digest = isWhole ? RunningDigest(comparing: range.source.object.digests) : RunningDigest()
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            guard left > 0 else { return nil }
            guard let buffer = try await buffers.next(), !buffer.isEmpty else {
                if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
                throw UploadError(
                    .networkFailure,
                    "\(range.source.job.destination.displayText) ended \(left) bytes before the end of the requested range: check the network and its server"
                )
            }
            guard Int64(buffer.count) <= left else { throw UploadError.sourceChanged(range.source.job.destination) }
            left -= Int64(buffer.count)
            // Only the end of the driver's read shows whether more bytes come, or whether the driver found an error.
            if left == 0, try await buffers.next() != nil {
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
    }

    /// The driver's read, which goes on as long as the iterator exists.
    final class Reading: Sendable {
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

import Uploads

/// A source that is read from a destination: it keeps that destination's limits, and its errors say that they are not of the destination
/// that the job writes to.
struct OriginSource: UploadSource {
    let source: any UploadSource
    /// The limits of the place that is read from; nil for a place without limits.
    let pace: TransferPace?
    let isUrgent: Bool
    /// Whether the place is another one than the job's destination.
    let isApart: Bool

    var size: Int64 { source.size }
    var isFetched: Bool { source.isFetched }
    var isLocked: Bool { source.isLocked }
    var sourceObject: SourceObject? { source.sourceObject }

    func isAvailable(_ range: Range<Int64>) async throws(UploadError) -> Bool {
        do throws(UploadError) { return try await source.isAvailable(range) } catch { throw told(error) }
    }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        let paced = pace.map { PacedSource(source: source, pace: $0, isUrgent: isUrgent) } ?? source
        return OriginBytes(bytes: paced.read(range), of: self)
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        do throws(UploadError) { return try await source.checksum(of: range) } catch { throw told(error) }
    }

    var checksums: FileChecksums? { source.checksums }

    func take(_ checksums: FileChecksums) { source.take(checksums) }

    func readUnread() async throws(UploadError) {
        do throws(UploadError) { try await source.readUnread() } catch { throw told(error) }
    }

    func verifyUnchanged() async throws(UploadError) {
        try await takeTurn()
        do throws(UploadError) { try await source.verifyUnchanged() } catch { throw told(error) }
    }

    func close() async { await source.close() }

    fileprivate func told(_ error: UploadError) -> UploadError { isApart ? error.ofSource : error }

    /// Waits until the limit of requests lets another one begin.
    fileprivate func takeTurn() async throws(UploadError) {
        do {
            try await pace?.requests.take(1, isUrgent: isUrgent)
        } catch {
            throw UploadError(.cancelled, "the reading was cancelled while it waited for its turn: read it again")
        }
    }
}

private struct OriginBytes: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    private let bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable
    private let source: OriginSource

    init(bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable, of source: OriginSource) {
        self.bytes = bytes
        self.source = source
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes, source: source) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable
        fileprivate let source: OriginSource
        /// nil before the first buffer: the request is sent in its turn.
        private var iterator: (any AsyncIteratorProtocol<any SourceBuffer, any Error>)?

        fileprivate init(
            bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable, source: OriginSource
        ) {
            self.bytes = bytes
            self.source = source
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            var current: any AsyncIteratorProtocol<any SourceBuffer, any Error>
            if let iterator {
                current = iterator
            } else {
                try await source.takeTurn()
                current = bytes.makeAsyncIterator()
            }
            defer { iterator = current }
            do {
                return try await current.next(isolation: nil)
            } catch let error as UploadError {
                throw source.told(error)
            }
        }
    }
}

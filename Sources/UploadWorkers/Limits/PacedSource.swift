import Uploads

/// A source that yields its bytes no faster than the destination's limit allows, so that drivers need not know the limit.
struct PacedSource: UploadSource {
    let source: any UploadSource
    let pace: TransferPace
    let isUrgent: Bool

    var size: Int64 { source.size }
    var isFetched: Bool { source.isFetched }

    func read(_ range: Range<Int64>) -> any AsyncSequence<SourceBuffer, any Error> & Sendable {
        PacedBytes(bytes: source.read(range), pace: pace, isUrgent: isUrgent)
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        try await source.checksum(of: range)
    }

    func verifyUnchanged() async throws(UploadError) { try await source.verifyUnchanged() }

    func close() async { await source.close() }
}

private struct PacedBytes: AsyncSequence, Sendable {
    typealias Element = SourceBuffer

    let bytes: any AsyncSequence<SourceBuffer, any Error> & Sendable
    let pace: TransferPace
    let isUrgent: Bool

    func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), pace: pace, isUrgent: isUrgent)
    }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: any AsyncIteratorProtocol<SourceBuffer, any Error>
        let pace: TransferPace
        let isUrgent: Bool
        private var rest: ArraySlice<UInt8> = []

        init(bytes: any AsyncIteratorProtocol<SourceBuffer, any Error>, pace: TransferPace, isUrgent: Bool) {
            self.bytes = bytes
            self.pace = pace
            self.isUrgent = isUrgent
        }

        mutating func next() async throws -> SourceBuffer? {
            if rest.isEmpty {
                guard let buffer = try await bytes.next(isolation: nil) else { return nil }
                rest = buffer[...]
            }
            let piece = rest.prefix(pace.pieceBytes ?? rest.count)
            rest = rest.dropFirst(piece.count)
            do {
                try await pace.bytes.take(Double(piece.count), isUrgent: isUrgent)
            } catch {
                throw UploadError(.cancelled, "the part was cancelled while it waited for its turn: send it again")
            }
            return SourceBuffer(piece)
        }
    }
}

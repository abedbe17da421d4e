import Uploads

/// A source that yields its bytes no faster than the destination's limit allows, so that drivers need not know the limit.
struct PacedSource: UploadSource {
    let source: any UploadSource
    let pace: TransferPace
    let isUrgent: Bool

    var size: Int64 { source.size }
    var isFetched: Bool { source.isFetched }
    var isLocked: Bool { source.isLocked }
    var sourceObject: SourceObject? { source.sourceObject }

    func isAvailable(_ range: Range<Int64>) async throws(UploadError) -> Bool { try await source.isAvailable(range) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        PacedBytes(bytes: source.read(range), pace: pace, isUrgent: isUrgent)
    }

    func fileRange(_ range: Range<Int64>) async throws(UploadError) -> SourceFileRange? {
        pace.pieceBytes == nil ? try await source.fileRange(range) : nil
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        try await source.checksum(of: range)
    }

    func readChecksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        try await source.readChecksum(of: range)
    }

    var checksums: FileChecksums? { source.checksums }

    func take(_ checksums: FileChecksums) { source.take(checksums) }

    func readUnread() async throws(UploadError) { try await source.readUnread() }

    func verifyUnchanged() async throws(UploadError) { try await source.verifyUnchanged() }

    func close() async { await source.close() }
}

private struct PacedBytes: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    let bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable
    let pace: TransferPace
    let isUrgent: Bool

    func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), pace: pace, isUrgent: isUrgent)
    }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: any AsyncIteratorProtocol<any SourceBuffer, any Error>
        let pace: TransferPace
        let isUrgent: Bool
        private var rest: ArraySlice<UInt8> = []

        init(bytes: any AsyncIteratorProtocol<any SourceBuffer, any Error>, pace: TransferPace, isUrgent: Bool) {
            self.bytes = bytes
            self.pace = pace
            self.isUrgent = isUrgent
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            if rest.isEmpty {
                guard let buffer = try await bytes.next(isolation: nil) else { return nil }
                guard let pieceBytes = pace.pieceBytes, pieceBytes < buffer.count else {
                    try await takeTurn(for: buffer.count)
                    return buffer
                }
                rest = buffer.withUnsafeBytes { Array($0) }[...]
            }
            let piece = rest.prefix(pace.pieceBytes ?? rest.count)
            rest = rest.dropFirst(piece.count)
            try await takeTurn(for: piece.count)
            return [UInt8](piece)
        }

        private func takeTurn(for count: Int) async throws(UploadError) {
            do {
                try await pace.bytes.take(Double(count), isUrgent: isUrgent)
            } catch {
                throw UploadError(.cancelled, "the part was cancelled while it waited for its turn: send it again")
            }
        }
    }
}

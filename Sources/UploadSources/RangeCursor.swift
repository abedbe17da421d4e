import Foundation
import LinuxFiles
import NIOCore
import Uploads

/// How far a range has been read, with the checksum of the present block. A value: each read returns the next cursor.
struct RangeCursor: Sendable {
    private let reader: RangeReader
    /// The next byte to be handed out.
    private var offset: Int64
    /// The offset up to which the digest is computed; before the first buffer, the start of the block in which the range begins.
    private var digested: Int64
    private var digest: RunningDigest

    struct Step: Sendable {
        /// nil at the end of the range.
        let buffer: (any SourceBuffer)?
        let next: RangeCursor
    }

    init(_ reader: RangeReader) {
        self.reader = reader
        offset = reader.range.lowerBound
        switch reader.check {
        case .blocks:
            digested = offset / PartPlan.blockBytes * PartPlan.blockBytes
            digest = RunningDigest(crc64nvme: true)
        case .ranges(let checksums):
            digested = offset
            digest = checksums.digest(for: reader.range)
        }
    }

    /// Whether the whole range was handed out.
    var isAtEnd: Bool { offset >= reader.range.upperBound }

    /// Reads the next buffer. No buffer crosses the end of a block, so that the block is checked before its last buffer is handed out.
    func advanced() throws(UploadError) -> Step {
        var next = self
        guard !isAtEnd else { return Step(buffer: nil, next: self) }
        let count = min(ReadBudget.bufferBytes, reader.range.upperBound - offset, blockEnd - offset)
        let buffer: ByteBuffer
        switch reader.check {
        case .blocks(let blocks):
            try next.digestUnseen(upTo: offset)
            buffer = try next.take(count)
            let isLastOfBlock = next.offset == blockEnd || next.offset == reader.range.upperBound
            if isLastOfBlock { try next.finishBlock(offset / PartPlan.blockBytes, of: blocks) }
        case .ranges(let checksums):
            buffer = try next.take(count)
            guard !next.isAtEnd || checksums.note(next.digest, of: reader.range) else {
                throw .sourceDiffers(reader.file.path, retry: retry)
            }
        }
        // The check comes before the last bytes are handed out: an object that one request creates is never made of a file that changed.
        if next.offset == reader.size { try reader.verify() }
        return Step(buffer: buffer, next: next)
    }

    private var blockEnd: Int64 { min((offset / PartPlan.blockBytes + 1) * PartPlan.blockBytes, reader.size) }

    private mutating func take(_ count: Int64) throws(UploadError) -> ByteBuffer {
        let buffer = try read(count, at: offset)
        offset += count
        digested = offset
        return buffer
    }

    /// Reads bytes for the digest only: the rest of a block of which the range is a part.
    private mutating func digestUnseen(upTo end: Int64) throws(UploadError) {
        while digested < end {
            let count = min(ReadBudget.bufferBytes, end - digested)
            _ = try read(count, at: digested)
            digested += count
        }
    }

    private mutating func finishBlock(_ block: Int64, of blocks: BlockDigests) throws(UploadError) {
        try digestUnseen(upTo: min((block + 1) * PartPlan.blockBytes, reader.size))
        let expected: CRC64NVME?
        do { expected = try blocks.digest(of: block) } catch { throw UploadError(source: error) }
        guard let expected, digest.digests.crc64nvme == expected.hexadecimal else {
            throw .sourceDiffers(reader.file.path, inBlock: block, retry: retry)
        }
        digest = RunningDigest(crc64nvme: true)
    }

    private mutating func read(_ count: Int64, at position: Int64) throws(UploadError) -> ByteBuffer {
        let buffer: ByteBuffer
        do { buffer = try reader.file.buffer(Int(count), at: position) } catch { throw UploadError(source: error) }
        guard buffer.readableBytes == count else {
            throw UploadError(
                .sourceChanged, "\(reader.file.path) became shorter while it was read: enqueue the file again")
        }
        buffer.withUnsafeReadableBytes { digest.update($0) }
        return buffer
    }

    private var retry: UploadError.Retry { reader.mayBeStale ? .afterBackoff : .never }
}

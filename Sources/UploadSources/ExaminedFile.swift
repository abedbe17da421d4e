import Foundation
import LinuxFiles
package import Uploads

/// A file, or the bytes of a stream, with the digests of its blocks, by which it is checked when it is read again. Its bytes are to be
/// copied to a staging area at a destination.
package struct ExaminedFile: UploadSource {
    package let size: Int64
    package let digests: Digests
    /// What distinguishes the file; nil of a stream.
    package let identity: FileIdentity?

    private let original: OriginalFile
    private let known: [CRC64NVME]
    private var blocks: BlockDigests { BlockDigests(known: known) }

    private init(_ original: OriginalFile, _ digests: OriginalFile.WholeDigests, _ identity: FileIdentity?) {
        self.size = original.status.size
        self.digests = digests.whole
        self.identity = identity
        self.original = original
        known = digests.blocks
    }

    /// The bytes of a file; 0 for one that cannot be looked at.
    package static func size(ofFileAt path: FilePath) async -> Int64 {
        await Blocking.run {
            (try? File.status(ofBytes: path.bytes, named: path.description, followingLinks: true))?.size ?? 0
        }
    }

    /// Reads a file for its digests.
    /// - Parameter sha256: whether they include the SHA-256.
    /// - Throws: `invalidFile` (missing, unreadable, no regular file), `sourceChanged` when the file changes meanwhile, `interrupted` when
    ///   the task is cancelled.
    package init(readingFileAt path: FilePath, sha256: Bool) async throws(UploadError) {
        let original = try await Blocking.run { () throws(UploadError) in try OriginalFile(opening: path) }
        self.init(original, try await original.digests(sha256: sha256), original.identity)
    }

    /// Keeps the bytes of a stream in a file without a name, which is gone when the program ends.
    /// - Parameter directory: where the file is made.
    /// - Throws: `invalidFile` when the stream fails or no space is left, `interrupted` when the task is cancelled.
    package init(
        keeping chunks: some AsyncSequence<[UInt8], any Error> & Sendable, in directory: String, sha256: Bool
    ) async throws(UploadError) {
        let file = try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) { return try File.temporary(in: directory) } catch {
                throw UploadError(staging: error)
            }
        }
        var digester = FileDigester(sha256: sha256)
        var blocks: [CRC64NVME] = []
        do {
            for try await chunk in chunks {
                try StagingArea.checkCancellation()
                let offset = digester.size
                chunk.withUnsafeBytes { digester.update($0) { blocks.append($0) } }
                try await Blocking.run { () throws(UploadError) in
                    do throws(SystemError) { try file.write(chunk, at: offset) } catch {
                        throw UploadError(staging: error)
                    }
                }
            }
            try StagingArea.checkCancellation()
        } catch {
            if let error = error as? UploadError { throw error }
            throw UploadError(.invalidFile, "the input cannot be read to its end: try again", cause: error)
        }
        let whole = digester.finish { blocks.append($0) }
        let original = try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) {
                return OriginalFile(path: FilePath("-"), file: file, status: try file.status())
            } catch {
                throw UploadError(staging: error)
            }
        }
        self.init(original, OriginalFile.WholeDigests(whole: whole, blocks: blocks), nil)
    }

    /// What lies beside the copy in a staging area at a destination; nil for a file of one block at most, whose digest its job has.
    package var sideFile: (suffix: String, bytes: [UInt8])? {
        size > PartPlan.blockBytes ? (BlockDigests.suffix, BlockDigests.encoded(known, of: size)) : nil
    }

    package func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        RangeReader(file: original.file, size: size, range: range.clamped(to: 0..<size), check: .blocks(blocks)) {
            [original] () throws(UploadError) in try original.verifyUnchanged()
        }
    }

    package func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        do {
            return try blocks.digest(of: range, in: size)
        } catch {
            throw UploadError(source: error)
        }
    }

    package func verifyUnchanged() async throws(UploadError) {
        try await Blocking.run { [original] () throws(UploadError) in try original.verifyUnchanged() }
    }

    package func close() async {}
}

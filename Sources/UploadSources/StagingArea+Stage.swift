import Foundation
import Glibc
import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea {
    static let bufferBytes = 1 << 20

    /// Copies a file into the area: by reflink; else within the kernel where the file system copies by itself, or by reading and writing.
    ///
    /// The digests are computed from the copy, read back while it is in the page cache, so they hold for the uploaded bytes.
    /// - Parameters:
    ///   - name: the copy's name, an id that no other copy has; nil makes one.
    ///   - sha256: whether the digests include the SHA-256.
    /// - Throws: `invalidFile` (missing, unreadable, no regular file, no space), `sourceChanged` when size or time changed
    ///   meanwhile, `interrupted` when the task is cancelled.
    public func stage(
        fileAt path: FilePath, as name: JobID? = nil, sha256: Bool = false
    ) async throws(UploadError) -> StagedFile {
        let (original, draft) = try await Blocking.run { () throws(UploadError) in
            (try OriginalFile(opening: path), try StagedDraft(in: self, name: name, sha256: sha256))
        }
        do {
            if original.status.size <= PartPlan.blockBytes {
                return try await finish(
                    draft, of: original.identity, after: { () throws(UploadError) in try draft.copySmall(original) })
            }
            let way = try await Blocking.run { () throws(UploadError) in try draft.prepare(for: original) }
            try await draft.copy(original, way)
            return try await finish(draft, of: original.identity)
        } catch {
            await discard(draft)
            throw error
        }
    }

    /// Does the same for a path that is text.
    public func stage(
        fileAt path: String, as name: JobID? = nil, sha256: Bool = false
    ) async throws(UploadError) -> StagedFile {
        try await stage(fileAt: FilePath(path), as: name, sha256: sha256)
    }

    /// Copies the bytes of a stream, such as standard input.
    /// - Parameters:
    ///   - name: the copy's name, an id that no other copy has; nil makes one.
    ///   - sha256: whether the digests include the SHA-256.
    /// - Throws: `invalidFile` when the stream fails or no space is left, `interrupted` when the task is cancelled.
    public func stage(
        _ chunks: some AsyncSequence<[UInt8], any Error> & Sendable, as name: JobID? = nil, sha256: Bool = false
    ) async throws(UploadError) -> StagedFile {
        let draft = try await Blocking.run { () throws(UploadError) in
            try StagedDraft(in: self, name: name, sha256: sha256)
        }
        do {
            for try await chunk in chunks {
                try Self.checkCancellation()
                try await Blocking.run { () throws(UploadError) in try draft.append(chunk) }
            }
            try Self.checkCancellation()
            return try await finish(draft)
        } catch {
            await discard(draft)
            if let error = error as? UploadError { throw error }
            throw UploadError(.invalidFile, "the input cannot be read to its end: try again", cause: error)
        }
    }

    static let interrupted = UploadError(.interrupted, "staging was interrupted")

    static func checkCancellation() throws(UploadError) {
        if Task.isCancelled { throw interrupted }
    }

    /// - Parameters:
    ///   - original: the file that was copied.
    ///   - last: the last step before, on the same thread.
    private func finish(
        _ draft: StagedDraft, of original: FileIdentity? = nil,
        after last: @escaping @Sendable () throws(UploadError) -> Void = {}
    ) async throws(UploadError) -> StagedFile {
        try Self.checkCancellation()
        let staged = try await Blocking.run { () throws(UploadError) in
            try last()
            return try draft.finish(of: original)
        }
        unsynchronized.withLock { $0.append(draft.name) }
        return staged
    }

    private func discard(_ draft: StagedDraft) async {
        await Blocking.run { draft.discard() }
    }
}

import LinuxFiles
public import Uploads

/// A staged copy that workers may see and send before it is complete. This program holds the lock on its digests meanwhile; when it dies, the
/// job fails.
public struct GrowingCopy: Sendable {
    /// The smallest file that is worth it: more than 64 MiB.
    public static let bytesMinimum: Int64 = 64 << 20

    /// The facts for the job, without digests.
    public let staged: StagedFile

    private let draft: StagedDraft
    private let original: OriginalFile
    private let way: StagedDraft.Way

    fileprivate init(_ draft: StagedDraft, _ original: OriginalFile, _ way: StagedDraft.Way, area: StagingArea) {
        self.draft = draft
        self.original = original
        self.way = way
        staged = StagedFile(
            reference: .staged(area: area.id, name: draft.name), size: original.status.size, digests: Digests(),
            original: original.identity)
    }

    /// Copies the rest, and seals the copy when it is durable.
    /// - Returns: the facts with the digests.
    /// - Throws: `sourceChanged` when size or time of the original changed meanwhile; `invalidFile` when it cannot be read, no space is left,
    ///   or the copy was removed because its job has ended; `interrupted` when the task is cancelled. The copy stays without a seal then.
    public func finish() async throws(UploadError) -> StagedFile {
        do {
            try await draft.copy(original, from: PartPlan.blockBytes, way, forgetting: true)
            return try await Blocking.run { [draft, original] () throws(UploadError) in
                try draft.seal(of: original.identity)
            }
        } catch {
            await Blocking.run { [draft] in draft.abandon() }
            throw error
        }
    }
}

extension StagingArea {
    /// Begins a copy: its first block is durable and under the copy's name when this returns.
    /// - Returns: nil for a file that has to be copied as a whole: too small, or on a file system that shares its blocks with the area, so
    ///   that the copy is there at once; or when the area's file system has no locks, or belongs to a network, where workers on other hosts
    ///   could see the digest of a block before they see the block.
    /// - Throws: as ``stage(fileAt:as:sha256:)``.
    public func beginCopy(ofFileAt path: FilePath) async throws(UploadError) -> GrowingCopy? {
        try Self.checkCancellation()
        guard Self.flushableTypes.contains(directory.fileSystemType) else { return nil }
        let (original, draft) = try await Blocking.run { [self] () throws(UploadError) in
            (try OriginalFile(opening: path), try StagedDraft(in: self, name: nil, sha256: false))
        }
        do {
            let copy = try await Blocking.run { [self] () throws(UploadError) in try begin(draft, original) }
            if copy == nil { await Blocking.run { draft.discard() } }
            return copy
        } catch {
            await Blocking.run { draft.discard() }
            throw error
        }
    }

    private func begin(_ draft: StagedDraft, _ original: OriginalFile) throws(UploadError) -> GrowingCopy? {
        guard original.status.size > GrowingCopy.bytesMinimum else { return nil }
        let way = try draft.prepare(for: original)
        guard way != .cloned, try draft.beginDigests() else { return nil }
        if way == .inKernel { try draft.reserve(original.status.size) }
        try draft.copyFirstBlock(of: original, way)
        try draft.show()
        return GrowingCopy(draft, original, way, area: self)
    }
}

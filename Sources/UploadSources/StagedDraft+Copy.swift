import LinuxFiles
import Uploads

/// Copies a file into a draft.
extension StagedDraft {
    /// How the bytes of a file of several blocks get into the copy.
    enum Way {
        /// They are there already: the copy shares the file's blocks.
        case cloned
        case inKernel
        /// Into space that is reserved for the whole copy.
        case throughMemory
    }

    /// File systems that copy nothing by themselves: ext4, tmpfs, F2FS (statfs(2)). There copy_file_range(2) moves page by page through a
    /// pipe, which takes more of a processor than reading and writing large pieces (2 GiB on ext4: .66 to .85 s, and .43 to .57).
    private static let plainTypes: Set<Int64> = [0xEF53, 0x0102_1994, 0xF2F5_2010]

    /// How much of a copy stays in the page cache while it is made and sent at the same time: 32 blocks.
    private static let cachedBytes: Int64 = 32 * PartPlan.blockBytes

    /// Bytes that are read and written at once: they stay in the processor's cache for their checksum.
    private static let pieceBytes = 256 << 10

    private struct Copied {
        let block: Range<Int64>
        /// nil: the block has to be read for its digests.
        let checksum: CRC64NVME?
    }

    /// Copies a file of at most one block.
    func copySmall(_ original: OriginalFile) throws(UploadError) {
        let range = 0..<original.status.size
        let isCloned: Bool
        do throws(SystemError) {
            isCloned = try copy.clone(original.file)
        } catch {
            throw UploadError(staging: error)
        }
        if !isCloned { try fillInKernel(range, from: original) }
        try digest(range)
        try original.verifyUnchanged()
    }

    /// Copies a file from an offset on, in steps of one block on the pool: the next block is copied while the last one is digested.
    /// - Parameter forgetting: whether the copy leaves the page cache some way behind, as it is written to the disk: for a copy that is read
    ///   at the same time. Pages that come free are used again, and a large copy does not push everything else out of memory.
    func copy(
        _ original: OriginalFile, from start: Int64 = 0, _ way: Way, forgetting: Bool = false
    ) async throws(UploadError) {
        var ready = try await copied(from: start, of: original, way).get()
        while !ready.block.isEmpty {
            try StagingArea.checkCancellation()
            let last = ready
            async let next = copied(from: last.block.upperBound, of: original, way)
            try await Blocking.run { [self] () throws(UploadError) in
                try note(last)
                if forgetting { try forget(behind: last.block.upperBound) }
            }
            CopyObserver.report?(last.block.upperBound)
            ready = try await next.get()
        }
        try await Blocking.run { () throws(UploadError) in try original.verifyUnchanged() }
    }

    /// Copies the first block.
    func copyFirstBlock(of original: OriginalFile, _ way: Way) throws(UploadError) {
        try note(fill(0..<PartPlan.blockBytes, from: original, way))
    }

    private func note(_ copied: Copied) throws(UploadError) {
        if let checksum = copied.checksum {
            try take(checksum, of: copied.block)
        } else {
            try digest(copied.block)
        }
    }

    /// Finds out how a file of several blocks is copied.
    func prepare(for original: OriginalFile) throws(UploadError) -> Way {
        do throws(SystemError) {
            if try copy.clone(original.file) { return .cloned }
            guard Self.plainTypes.contains(fileSystemType) else { return .inKernel }
            try copy.allocate(original.status.size)
            return .throughMemory
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Gives the copy its size.
    func reserve(_ bytes: Int64) throws(UploadError) {
        do throws(SystemError) { try copy.allocate(bytes) } catch { throw UploadError(staging: error) }
    }

    /// - Returns: the block from this offset, after its bytes were copied; an empty one at the end of the file.
    private func copied(
        from offset: Int64, of original: OriginalFile, _ way: Way
    ) async -> Result<Copied, UploadError> {
        let range = offset..<min(offset + PartPlan.blockBytes, original.status.size)
        if range.isEmpty { return .success(Copied(block: range, checksum: nil)) }
        return await Blocking.run { [self] in
            Result { () throws(UploadError) in
                let copied = try fill(range, from: original, way)
                copy.beginWriting(range)
                return copied
            }
        }
    }

    private func fill(_ block: Range<Int64>, from original: OriginalFile, _ way: Way) throws(UploadError) -> Copied {
        switch way {
        case .cloned: break
        case .inKernel: try fillInKernel(block, from: original)
        case .throughMemory:
            var checksum = CRC64NVME()
            try original.forEachPiece(of: block, bytes: Self.pieceBytes) { piece, offset throws(UploadError) in
                checksum.update(piece)
                try write(piece, at: offset)
            }
            if !computesSHA256 { return Copied(block: block, checksum: checksum) }
        }
        return Copied(block: block, checksum: nil)
    }

    private func fillInKernel(_ range: Range<Int64>, from original: OriginalFile) throws(UploadError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let copied: Int?
            do throws(SystemError) {
                copied = try copy.copy(Int(range.upperBound - offset), at: offset, from: original.file)
            } catch {
                throw UploadError(staging: error)
            }
            guard let copied, copied > 0 else {
                // Some file systems answer 0 instead of an error.
                return try original.forEachPiece(of: offset..<range.upperBound, bytes: Self.pieceBytes) {
                    piece, offset throws(UploadError) in try write(piece, at: offset)
                }
            }
            offset += Int64(copied)
        }
    }

    private func write(_ piece: UnsafeRawBufferPointer, at offset: Int64) throws(UploadError) {
        do throws(SystemError) { try copy.write(piece, at: offset) } catch { throw UploadError(staging: error) }
    }

    /// Waits until the block is on the disk that lies ``cachedBytes`` behind this offset.
    private func forget(behind offset: Int64) throws(UploadError) {
        let end = offset - Self.cachedBytes
        guard end > 0 else { return }
        let start = max(0, end - PartPlan.blockBytes)
        do throws(SystemError) { try copy.endWriting(start..<end) } catch { throw UploadError(staging: error) }
        copy.forgetCached(start..<end)
    }
}

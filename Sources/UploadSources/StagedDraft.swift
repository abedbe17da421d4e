import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// An unfinished copy, under a temporary name, and locked: the lock ends with the process, however that ends, so that a sweep of the
/// area recognizes the copies of dead programs (`sweepUnfinished`). One caller at a time; all calls block.
final class StagedDraft: Sendable {
    let name: String

    private let area: StagingArea
    private let copy: File
    private let progress: Mutex<Progress>

    private struct Progress {
        var digester: FileDigester
        var blocks = Blocks()
    }

    /// The digests of the blocks; in a side file from the second block on.
    private struct Blocks {
        var count: Int64 = 0
        var first: CRC64NVME?
        var file: File?
    }

    /// How the bytes of a file of several blocks get into the copy.
    private enum Way {
        /// They are there already: the copy shares the file's blocks.
        case cloned
        case inKernel
        /// Into space that is reserved for the whole copy.
        case throughMemory
    }

    /// File systems that copy nothing by themselves: ext4, tmpfs, F2FS (statfs(2)). There copy_file_range(2) moves page by page through a
    /// pipe, which takes more of a processor than reading and writing large pieces (2 GiB on ext4: .66 to .85 s, and .43 to .57).
    private static let plainTypes: Set<Int64> = [0xEF53, 0x0102_1994, 0xF2F5_2010]

    private var temporaryName: String { Self.temporaryName(of: name) }
    private var blocksName: String { name + BlockDigests.suffix }

    init(in area: StagingArea, name: JobID?, sha256: Bool) throws(UploadError) {
        self.area = area
        progress = Mutex(Progress(digester: FileDigester(sha256: sha256)))
        self.name = (name ?? JobID()).rawValue
        do {
            copy = try Self.create(Self.temporaryName(of: self.name), in: area.directory)
            // The group must be able to read, whatever the umask is.
            try copy.setMode(0o640)
        } catch {
            throw UploadError(staging: error)
        }
    }

    private static func create(_ name: String, in directory: Directory) throws(SystemError) -> File {
        while true {
            let file = try directory.open(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
            // On a file system without locks a sweep cannot take the lock either, and leaves the copy.
            guard (try? file.lock()) != nil else { return file }
            // Before the file was locked, a sweep may have taken it for a dead program's file and removed it.
            if let named = try directory.status(of: name), named.isSameFile(as: try file.status()) { return file }
        }
    }

    static func temporaryName(of copy: String) -> String { ".\(copy).partial" }

    /// Copies a file of at most one block.
    func copySmall(_ original: OriginalFile) throws(UploadError) {
        let range = 0..<original.status.size
        let isCloned: Bool
        do throws(SystemError) {
            isCloned = try copy.clone(original.file)
        } catch {
            throw UploadError(staging: error)
        }
        if !isCloned { try fill(range, from: original, inKernel: true) }
        try digest(range, of: original)
        try original.verifyUnchanged()
    }

    /// Copies a file, in steps of one block on the pool: the next block is copied while the digests of the last one are computed.
    func copy(_ original: OriginalFile) async throws(UploadError) {
        let way = try await Blocking.run { [self] () throws(UploadError) in try prepare(for: original) }
        var ready = try await filled(from: 0, of: original, way).get()
        while !ready.isEmpty {
            try StagingArea.checkCancellation()
            let block = ready
            async let next = filled(from: block.upperBound, of: original, way)
            try await Blocking.run { [self] () throws(UploadError) in try digest(block, of: original) }
            ready = try await next.get()
        }
        try await Blocking.run { () throws(UploadError) in try original.verifyUnchanged() }
    }

    private func prepare(for original: OriginalFile) throws(UploadError) -> Way {
        do throws(SystemError) {
            if try copy.clone(original.file) { return .cloned }
            guard Self.plainTypes.contains(area.directory.fileSystemType) else { return .inKernel }
            try copy.allocate(original.status.size)
            return .throughMemory
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// - Returns: the range of the block from this offset, after its bytes were copied; empty at the end of the file.
    private func filled(
        from offset: Int64, of original: OriginalFile, _ way: Way
    ) async -> Result<Range<Int64>, UploadError> {
        let range = offset..<min(offset + PartPlan.blockBytes, original.status.size)
        if way == .cloned || range.isEmpty { return .success(range) }
        return await Blocking.run { [self] in
            Result { () throws(UploadError) in
                try fill(range, from: original, inKernel: way == .inKernel)
                copy.beginWriting(range)
                return range
            }
        }
    }

    func append(_ bytes: [UInt8]) throws(UploadError) {
        do {
            try progress.withLock { progress throws(SystemError) in
                try copy.write(bytes, at: progress.digester.size)
                try take(bytes, into: &progress)
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Makes the copy visible under its name.
    func finish(of original: FileIdentity? = nil) throws(UploadError) -> StagedFile {
        do throws(SystemError) {
            let (size, digests) = try progress.withLock { progress throws(SystemError) in
                let digests = try progress.digester.finish { digest throws(SystemError) in
                    try note(digest, in: &progress.blocks)
                }
                let size = progress.digester.size
                if let file = progress.blocks.file { try BlockDigests.writeHeader(size: size, to: file) }
                return (size, digests)
            }
            guard try area.directory.renameWithoutReplacing(temporaryName, to: name) else {
                throw SystemError(EEXIST, call: "renameat2", path: area.directory.path(of: name))
            }
            // From now on the worker that carries the copy locks it.
            copy.unlock()
            return StagedFile(
                reference: .staged(area: area.id, name: name), size: size, digests: digests, original: original)
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Removes the draft's files; the clean-up of the area removes what this call cannot.
    func discard() {
        try? area.directory.remove(temporaryName)
        try? area.directory.remove(blocksName)
    }

    private func fill(
        _ range: Range<Int64>, from original: OriginalFile, inKernel: Bool
    ) throws(UploadError) {
        var offset = range.lowerBound
        do {
            while offset < range.upperBound {
                let count = Int(range.upperBound - offset)
                if inKernel, let copied = try copy.copy(count, at: offset, from: original.file), copied > 0 {
                    offset += Int64(copied)
                    continue
                }
                // The loop comes here also when nothing was copied: some file systems answer 0 instead of an error.
                let bytes = try original.read(min(count, StagingArea.bufferBytes), at: offset)
                try copy.write(bytes, at: offset)
                offset += Int64(bytes.count)
            }
        } catch let error as SystemError {
            throw UploadError(staging: error)
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.unknown, "\(original.file.path) cannot be copied", cause: error)
        }
    }

    private func digest(_ range: Range<Int64>, of original: OriginalFile) throws(UploadError) {
        do throws(SystemError) {
            var offset = range.lowerBound
            while offset < range.upperBound {
                let bytes = try copy.read(min(Int(range.upperBound - offset), StagingArea.bufferBytes), at: offset)
                guard !bytes.isEmpty else {
                    throw SystemError(EIO, call: "pread", path: copy.path)
                }
                try progress.withLock { progress throws(SystemError) in try take(bytes, into: &progress) }
                offset += Int64(bytes.count)
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    private func note(_ digest: CRC64NVME, in blocks: inout Blocks) throws(SystemError) {
        defer { blocks.count += 1 }
        guard let first = blocks.first else {
            blocks.first = digest
            return
        }
        let file: File
        if let opened = blocks.file {
            file = opened
        } else {
            file = try area.directory.open(blocksName, O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
            try file.setMode(0o640)
            blocks.file = file
            try BlockDigests.write(first, of: 0, to: file)
        }
        try BlockDigests.write(digest, of: blocks.count, to: file)
    }

    private func take(_ bytes: [UInt8], into progress: inout Progress) throws(SystemError) {
        var problem: SystemError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                try progress.digester.update(buffer) { digest throws(SystemError) in
                    try note(digest, in: &progress.blocks)
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
    }
}

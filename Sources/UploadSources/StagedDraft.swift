import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// An unfinished copy, under a temporary name, and locked: the lock ends with the process, however that ends, so that a sweep of the
/// area recognizes the copies of dead programs (`sweepUnfinished`). One caller at a time; all calls block.
///
/// It may get its name before it is complete (``show()``). From then on workers lock the copy, and this draft holds the lock on its digests.
final class StagedDraft: Sendable {
    let name: String
    let copy: File
    let computesSHA256: Bool

    private let area: StagingArea
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

    private var temporaryName: String { Self.temporaryName(of: name) }
    private var blocksName: String { name + BlockDigests.suffix }

    init(in area: StagingArea, name: JobID?, sha256: Bool) throws(UploadError) {
        self.area = area
        computesSHA256 = sha256
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

    var fileSystemType: Int64 { area.directory.fileSystemType }

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

    /// Takes in the checksum of the next block.
    func take(_ checksum: CRC64NVME, of block: Range<Int64>) throws(UploadError) {
        do throws(SystemError) {
            try progress.withLock { progress throws(SystemError) in
                progress.digester.append(checksum, count: Int64(block.count))
                try note(checksum, in: &progress.blocks)
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Reads a range that has been copied for its digests.
    func digest(_ range: Range<Int64>) throws(UploadError) {
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

    /// Makes the complete copy visible under its name.
    func finish(of original: FileIdentity? = nil) throws(UploadError) -> StagedFile {
        do throws(SystemError) {
            let (size, digests) = try end()
            try progress.withLock { progress throws(SystemError) in
                if let file = progress.blocks.file { try BlockDigests.writeHeader(size: size, to: file) }
            }
            try takeName()
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

    // MARK: A copy that has its name before it is complete

    /// Makes the digests' file and takes its lock, before the first bytes are copied.
    /// - Returns: false where the file system has no locks: then no worker could see whether this program lives.
    func beginDigests() throws(UploadError) -> Bool {
        do throws(SystemError) {
            return try progress.withLock { progress throws(SystemError) in
                let file = try createDigests()
                progress.blocks.file = file
                return (try? file.lock()) != nil
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Makes the copy visible under its name, as far as it is, and all of that durable.
    func show() throws(UploadError) {
        do throws(SystemError) {
            try copy.synchronize()
            try progress.withLock { progress throws(SystemError) in try progress.blocks.file?.synchronize() }
            try takeName()
            do throws(SystemError) {
                try area.directory.synchronize()
            } catch {
                try? area.directory.remove(name)
                throw error
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Writes the seal, the header of the digests, once all bytes are durable, and makes it durable.
    /// - Throws: `invalidFile` also when the copy has lost its name.
    func seal(of original: FileIdentity) throws(UploadError) -> StagedFile {
        do {
            let (size, digests) = try end()
            try copy.synchronize()
            let named = try area.directory.status(of: name)
            guard try named?.isSameFile(as: copy.status()) == true else {
                throw UploadError(
                    .invalidFile,
                    "\(area.directory.path(of: name)) was removed before it was complete: its job was cancelled or has failed; ask for it"
                )
            }
            try progress.withLock { progress throws(SystemError) in
                guard let file = progress.blocks.file else { return }
                try file.synchronize()
                try BlockDigests.writeHeader(size: size, to: file)
                try file.synchronize()
                file.unlock()
            }
            return StagedFile(
                reference: .staged(area: area.id, name: name), size: size, digests: digests, original: original)
        } catch let error as SystemError {
            throw UploadError(staging: error)
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.unknown, "\(copy.path) cannot be completed", cause: error)
        }
    }

    /// Gives up a copy that has its name. Its digests look as if nothing had been written for long, so that a worker ends the job at once.
    func abandon() {
        progress.withLock { progress in
            try? progress.blocks.file?.setOldest()
            progress.blocks.file?.unlock()
        }
    }

    // MARK: Steps

    private func takeName() throws(SystemError) {
        guard try area.directory.renameWithoutReplacing(temporaryName, to: name) else {
            throw SystemError(EEXIST, call: "renameat2", path: area.directory.path(of: name))
        }
        // From now on the worker that carries the copy locks it.
        copy.unlock()
    }

    /// Takes in the digest of the last block.
    private func end() throws(SystemError) -> (size: Int64, digests: Digests) {
        try progress.withLock { progress throws(SystemError) in
            let digests = try progress.digester.finish { digest throws(SystemError) in
                try note(digest, in: &progress.blocks)
            }
            return (progress.digester.size, digests)
        }
    }

    private func createDigests() throws(SystemError) -> File {
        let file = try area.directory.open(blocksName, O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
        try file.setMode(0o640)
        return file
    }

    private func note(_ digest: CRC64NVME, in blocks: inout Blocks) throws(SystemError) {
        defer { blocks.count += 1 }
        guard blocks.count > 0 || blocks.file != nil else {
            blocks.first = digest
            return
        }
        let file: File
        if let opened = blocks.file {
            file = opened
        } else {
            file = try createDigests()
            blocks.file = file
            if let first = blocks.first { try BlockDigests.write(first, of: 0, to: file) }
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

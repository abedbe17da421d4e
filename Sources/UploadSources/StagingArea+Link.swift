import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea {
    /// Links a file into the area, under the name of a copy, instead of copying it: for a file whose own name is removed once its job is
    /// accepted. It is read for its digests; a program that still writes into it afterwards makes the upload fail.
    /// - Parameter sha256: whether the digests include the SHA-256.
    /// - Returns: nil for a file that has to be copied: of one block at most, on another file system, with further names, a symbolic link,
    ///   or one that workers of the area's group may not read.
    /// - Throws: as ``stage(fileAt:as:sha256:)``.
    public func link(fileAt path: FilePath, sha256: Bool = false) async throws(UploadError) -> StagedFile? {
        let original = try await Blocking.run { [self] () throws(UploadError) -> OriginalFile? in
            let original = try OriginalFile(opening: path)
            return try isLinkable(original) ? original : nil
        }
        guard let original else { return nil }
        let digests = try await original.digests(sha256: sha256)
        let name = JobID().rawValue
        let isLinked = try await Blocking.run { [self] () throws(UploadError) -> Bool in
            do throws(SystemError) {
                // The digests come first: their time is that of the copy to a clean-up of the area.
                try BlockDigests.write(digests.blocks, of: original.status.size, beside: name, in: directory)
                if try original.file.link(as: name, in: directory) { return true }
                try directory.remove(name + BlockDigests.suffix)
                return false
            } catch {
                try? directory.remove(name + BlockDigests.suffix)
                throw UploadError(staging: error)
            }
        }
        guard isLinked else { return nil }
        unsynchronized.withLock { $0.append(name) }
        return StagedFile(
            reference: .staged(area: id, name: name), size: original.status.size, digests: digests.whole,
            original: original.identity)
    }

    private func isLinkable(_ original: OriginalFile) throws(UploadError) -> Bool {
        let status = original.status
        guard status.size > PartPlan.blockBytes, status.linkCount == 1 else { return false }
        do throws(SystemError) {
            let area = try directory.status()
            let isReadable = status.mode & 0o004 != 0 || (status.mode & 0o040 != 0 && status.group == area.group)
            let named = try File.status(
                ofBytes: original.path.bytes, named: original.file.path, followingLinks: false)
            return isReadable && status.device == area.device && named.isSameFile(as: status)
        } catch {
            throw UploadError(source: error)
        }
    }
}

import Foundation
import Glibc
import LinuxFiles
package import Uploads

extension StagingArea {
    /// Removes the copies whose programs died while they made them, and digests of blocks that belong to no copy. It leaves files that
    /// cannot be removed. Only for an area whose programs all run on this host: a lock of another host may not be seen here.
    /// - Returns: how many files were removed, and their bytes.
    package func sweepUnfinished() async throws(UploadError) -> (count: Int, bytes: Int64) {
        try await Blocking.run { [directory] () throws(UploadError) in
            var names: [String] = []
            do throws(SystemError) {
                try directory.forEachEntry { name, _ in
                    names.append(name)
                    return true
                }
            } catch {
                throw UploadError(staging: error)
            }
            var swept = (count: 0, bytes: Int64(0))
            for name in names {
                guard let bytes = try? Self.removeIfUnfinished(name, from: directory) else { continue }
                swept.count += 1
                swept.bytes = swept.bytes.addingSaturating(bytes)
            }
            return swept
        }
    }

    /// - Returns: the bytes of the removed file; nil if it is left.
    private static func removeIfUnfinished(_ name: String, from directory: Directory) throws(SystemError) -> Int64? {
        func isCopy(_ name: String) -> Bool { UUID(uuidString: name) != nil }
        let hidden = String(name.dropFirst().prefix(JobID.length))
        if isCopy(hidden), name == StagedDraft.temporaryName(of: hidden) {
            return try removeDraft(of: hidden, from: directory)
        }
        let copy = String(name.prefix(JobID.length))
        guard isCopy(copy), name == copy + BlockDigests.suffix else { return nil }
        // In this order: a copy that is finished between the two checks had the first name and has the second.
        guard try directory.status(of: StagedDraft.temporaryName(of: copy)) == nil,
            try directory.status(of: copy) == nil, let status = try directory.status(of: name)
        else { return nil }
        try directory.remove(name)
        return status.size
    }

    /// - Returns: the bytes of the removed draft; nil while its program lives.
    private static func removeDraft(of copy: String, from directory: Directory) throws(SystemError) -> Int64? {
        let name = StagedDraft.temporaryName(of: copy)
        let file = try directory.open(name, O_RDWR | O_NOFOLLOW)
        guard try file.tryLock() else { return nil }
        defer { file.unlock() }
        let status = try file.status()
        guard let named = try directory.status(of: name), named.isSameFile(as: status) else { return nil }
        // The digests go first: a program that makes a copy of this name anew creates its digests once it has the lock.
        try directory.remove(copy + BlockDigests.suffix)
        try directory.remove(name)
        return status.size
    }
}

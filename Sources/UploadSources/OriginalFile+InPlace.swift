import Foundation
import Glibc
package import LinuxFiles
package import Uploads

extension OriginalFile {
    /// Opens a file that is uploaded in place, if it is below one of the roots.
    ///
    /// The path is resolved first, the resolved path is opened with `O_NOFOLLOW`, and then the path is resolved once more: a link that
    /// was exchanged in between changes the result, and the file is refused.
    init(inPlace path: FilePath, below roots: [String]) throws(UploadError) {
        guard path.isAbsolute, !path.bytes.contains(0) else {
            throw UploadError(.invalidFile, "\(path) is no absolute path: enqueue the file by its full path")
        }
        let resolved = try Self.resolve(path)
        guard roots.contains(where: { (try? Self.resolve(FilePath($0))).map(resolved.isBelow) ?? false }) else {
            throw UploadError(
                .invalidFile,
                "\(path) lies below none of this worker's source roots: add its directory to sourceRoots, or stage the file"
            )
        }
        try self.init(opening: resolved, O_NOFOLLOW)
        let opened = status
        guard try Self.resolve(path) == resolved,
            let named = try? File.status(ofBytes: resolved.bytes, named: resolved.description, followingLinks: false),
            named.isSameFile(as: opened)
        else {
            throw UploadError(.sourceChanged, "\(path) was replaced while it was opened: enqueue it again")
        }
    }

    var identity: FileIdentity { FileIdentity(of: file, status) }

    /// - Parameters:
    ///   - size: the job's.
    ///   - enqueued: what is known of the file that was enqueued.
    func check(size: Int64, identity enqueued: FileIdentity) throws(UploadError) {
        guard status.size == size else {
            throw UploadError(
                .sourceChanged,
                "\(file.path) has \(status.size) bytes, the job says \(size): enqueue the file again")
        }
        guard identity.agrees(with: enqueued) else {
            throw UploadError(
                .sourceChanged, "\(file.path) was changed or replaced after it was enqueued: enqueue it again")
        }
    }

    /// The absolute path without links, `.` and `..`.
    static func resolve(_ path: FilePath) throws(UploadError) -> FilePath {
        do throws(SystemError) {
            return FilePath(bytes: try File.resolved(bytes: path.bytes, named: path.description))
        } catch {
            throw UploadError(source: error)
        }
    }
}

extension FileIdentity {
    package init(of file: File, _ status: FileStatus) {
        self.init(
            modifiedAt: FileTime(nanoseconds: status.modifiedNanoseconds), inode: status.inode,
            fileSystem: file.fileSystem)
    }
}

import Foundation
import Glibc
import LinuxFiles
import Uploads

/// The open directory of a job's object, with the files in it that belong to the object. Every call blocks.
struct DirectoryPlace: Sendable {
    let target: DirectoryTarget
    let directory: Directory

    /// The object under the target's name, and its mark.
    /// - Throws: `rejected` when a directory has the name.
    func found() throws(UploadError) -> (StoredObject?, DirectoryMark?) {
        do throws(SystemError) {
            guard let status = try directory.status(of: target.name) else { return (nil, nil) }
            guard status.kind != .directory else { throw SystemError(EISDIR, call: "open", path: path) }
            guard status.kind == .regular else { return (object(status, Digests()), nil) }
            let mark = try DirectoryMark.read(at: self, of: status)
            return (object(status, mark?.digests ?? Digests()), mark)
        } catch {
            // The file was removed or replaced in between.
            if error.number == ENOENT || error.number == ELOOP { return (nil, nil) }
            throw UploadError(directory: error, below: target.configuration.path)
        }
    }

    /// Opens the unfinished upload.
    /// - Returns: nil when there is none that can be trusted.
    func record() throws(UploadError) -> DirectoryRecord? {
        do throws(SystemError) {
            return try DirectoryRecord.open(at: self)
        } catch {
            throw UploadError(directory: error, below: target.configuration.path)
        }
    }

    /// Begins an upload anew.
    func begin() throws(UploadError) -> DirectoryRecord {
        let limits = PartLimits(partBytesMinimum: 1, partBytesMaximum: .max, partCountMaximum: 100_000)
        let plan = try PartPlan(
            size: target.job.size, limits: limits, preferredPartSize: target.configuration.partBytes)
        do throws(SystemError) {
            return try DirectoryRecord.create(at: self, plan: plan)
        } catch {
            try? discard()
            throw UploadError(directory: error, below: target.configuration.path)
        }
    }

    /// Removes the unfinished upload: the record first, so that it never names bytes that are gone.
    func discard() throws(UploadError) {
        do {
            try directory.remove(target.recordName)
            try directory.remove(target.partName)
        } catch {
            throw UploadError(directory: error, below: target.configuration.path)
        }
    }

    var path: String { directory.path(of: target.name) }

    func object(_ status: FileStatus, _ digests: Digests) -> StoredObject {
        StoredObject(location: path, etag: Self.etag(status), size: status.size, digests: digests)
    }

    /// Changes when the file is replaced or written to.
    static func etag(_ status: FileStatus) -> String {
        [UInt64(status.size), UInt64(bitPattern: status.modifiedNanoseconds), status.inode]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }
}

import Glibc
import LinuxFiles
public import Uploads

/// Serves the files of the directory, also those that other programs put there. A file's inode, size and time serve as
/// its ETag.
extension DirectoryDestination: OriginDestination {
    public func find(_ job: UploadJob) async throws(UploadError) -> FoundObject? {
        let target = try DirectoryTarget(job, configuration)
        return try await Blocking.run { () throws(UploadError) in
            guard let file = try target.openedFile() else { return nil }
            let status = try Self.status(of: file)
            return FoundObject(
                StoredObject(location: target.displayPath, etag: Self.etag(of: status), size: status.size))
        }
    }

    @discardableResult
    public func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Bool {
        let target = try DirectoryTarget(job, configuration)
        let file = try await Blocking.run { () throws(UploadError) in
            guard let file = try target.openedFile() else { throw Self.changed(target) }
            return file
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard !Task.isCancelled else {
                throw UploadError(.interrupted, "the reading of \(file.path) was interrupted")
            }
            let start = offset
            let count = min(Self.bufferBytes, Int(range.upperBound - start))
            let buffer = try await Blocking.run { () throws(UploadError) in
                do throws(SystemError) {
                    let buffer = try file.read(count, at: start)
                    // The check follows the reading: a file that is unchanged now was unchanged while it was read.
                    guard buffer.count == count, try Self.etag(of: file.status()) == object.etag else {
                        throw SystemError(ESTALE, call: "read", path: file.path)
                    }
                    return buffer
                } catch {
                    throw error.number == ESTALE ? Self.changed(target) : UploadError(directory: error)
                }
            }
            offset += Int64(buffer.count)
            try await take(buffer)
        }
        return false
    }

    /// Has the kernel copy bytes of the object to the same place in another file.
    /// - Returns: bytes copied, more than none; nil where the file systems do not support it.
    /// - Throws: `sourceChanged`, as when it is read.
    func copy(_ range: Range<Int64>, of found: SourceObject, to file: File) async throws(UploadError) -> Int64? {
        let target = try DirectoryTarget(found.job, configuration)
        return try await Blocking.run { () throws(UploadError) in
            guard let original = try target.openedFile() else { throw Self.changed(target) }
            do throws(SystemError) {
                guard let copied = try file.copy(range.count, at: range.lowerBound, from: original) else { return nil }
                guard copied > 0, try Self.etag(of: original.status()) == found.object.etag else {
                    throw SystemError(ESTALE, call: "copy_file_range", path: original.path)
                }
                return Int64(copied)
            } catch {
                throw error.number == ESTALE ? Self.changed(target) : UploadError(directory: error)
            }
        }
    }

    private static func status(of file: File) throws(UploadError) -> FileStatus {
        do throws(SystemError) { return try file.status() } catch { throw UploadError(directory: error) }
    }

    private static func etag(of status: FileStatus) -> String {
        "\"\(status.inode)-\(status.size)-\(status.modifiedNanoseconds)\""
    }

    private static func changed(_ target: DirectoryTarget) -> UploadError {
        UploadError(
            .sourceChanged, "\(target.displayPath) has changed while it was read: run the job again", retry: .never)
    }
}

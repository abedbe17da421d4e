import Foundation
import Glibc
import LinuxFiles
public import Uploads

extension DirectoryDestination: ReadableDestination {
    static let bufferBytes = 1 << 20

    /// First drops the object's pages from the page cache, as far as the kernel allows, so that the disk is read instead of memory.
    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let file = try await opened(job)
        var offset = offset
        while true {
            guard !Task.isCancelled else {
                throw UploadError(.interrupted, "the reading of \(file.path) was interrupted")
            }
            let start = offset
            let buffer = try await Blocking.run { () throws(UploadError) in
                do throws(SystemError) {
                    return try file.read(Self.bufferBytes, at: start)
                } catch {
                    throw UploadError(directory: error)
                }
            }
            guard !buffer.isEmpty else { return }
            offset += Int64(buffer.count)
            try await take(buffer)
        }
    }

    private func opened(_ job: UploadJob) async throws(UploadError) -> File {
        let target = try DirectoryTarget(job, configuration)
        return try await Blocking.run { () throws(UploadError) in
            guard let file = try target.openedFile() else {
                throw UploadError(.destinationNotFound, "there is no file \(target.displayPath)", retry: .never)
            }
            file.forgetCached()
            return file
        }
    }
}

extension DirectoryTarget {
    /// Opens the regular file under the target's name for reading; nil where there is none.
    func openedFile() throws(UploadError) -> File? {
        guard let place = try locate(creating: false) else { return nil }
        do throws(SystemError) {
            let file = try place.directory.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            return try file.status().kind == .regular ? file : nil
        } catch {
            if error.number == ENOENT || error.number == ELOOP { return nil }
            throw UploadError(directory: error)
        }
    }
}

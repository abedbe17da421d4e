import Foundation
import Glibc
import LinuxFiles
public import Uploads

extension DirectoryDestination: ReadableDestination {
    private static let bufferBytes = 1 << 20

    /// What the page cache still holds of it is dropped first as far as the kernel lets go, so that the disk is read and not memory.
    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
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
            guard let place = try target.locate(creating: false) else { throw Self.gone(target) }
            do throws(SystemError) {
                let file = try place.directory.open(target.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                guard try file.status().kind == .regular else {
                    throw SystemError(ENOENT, call: "open", path: place.path)
                }
                file.forgetCached()
                return file
            } catch {
                throw error.number == ENOENT || error.number == ELOOP
                    ? Self.gone(target) : UploadError(directory: error)
            }
        }
    }

    private static func gone(_ target: DirectoryTarget) -> UploadError {
        UploadError(.destinationNotFound, "there is no file \(target.displayPath)", retry: .never)
    }
}

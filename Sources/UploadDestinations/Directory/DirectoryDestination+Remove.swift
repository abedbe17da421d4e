import Glibc
import LinuxFiles
public import Uploads

/// Removes a file, and the mark beside it where the file system has no extended attributes.
extension DirectoryDestination: RemovableDestination {
    public func removeObject(of job: UploadJob) async throws(UploadError) {
        let target = try DirectoryTarget(job, configuration)
        try await Blocking.run { () throws(UploadError) in
            guard let place = try target.locate(creating: false) else { return }
            do throws(SystemError) {
                try place.directory.remove(target.name)
                try place.directory.remove(target.markName)
                try place.directory.synchronize()
            } catch {
                throw UploadError(directory: error, below: configuration.path)
            }
        }
    }
}

import Foundation
import Uploads

/// The state once the file has arrived: another worker only has to move it into place. The driver finds the file by the job's id, so a
/// state cannot name any other file.
struct WebDAVState: Hashable, Sendable {
    /// Name of the unfinished file, for people and for the sweep.
    let file: String
    /// The server's ETag of the file, if it gave one.
    let etag: String?
    /// Whether the server has copied the file from the source object.
    let isCopy: Bool

    init(file: String, etag: String?, isCopy: Bool = false) {
        self.file = file
        self.etag = etag
        self.isCopy = isCopy
    }

    /// - Returns: nil for a payload that this driver cannot have written.
    init?(_ state: UploadState) {
        guard state.driver == WebDAVDestination.driverName, let file = state.payload["file"]?.string else { return nil }
        self.init(
            file: file, etag: state.payload["etag"]?.string, isCopy: state.payload["isCopy"]?.bool ?? false)
    }

    var uploadState: UploadState {
        var payload: [String: JSONValue] = ["file": .string(file)]
        payload["etag"] = etag.map { .string($0) }
        if isCopy { payload["isCopy"] = true }
        return UploadState(driver: WebDAVDestination.driverName, payload: .object(payload))
    }
}

import Foundation
import Uploads

/// What travels once the file has arrived: another worker only has to move it into place. A driver finds it by the job's id, so no
/// state can name anything else.
struct WebDAVState: Hashable, Sendable {
    /// The unfinished file, for people and for the sweep.
    let file: String
    /// What the server called its contents, if anything.
    let etag: String?

    init(file: String, etag: String?) {
        self.file = file
        self.etag = etag
    }

    /// - Returns: nil for a payload that this driver cannot have written.
    init?(_ state: UploadState) {
        guard state.driver == WebDAVDestination.driverName, let file = state.payload["file"]?.string else { return nil }
        self.init(file: file, etag: state.payload["etag"]?.string)
    }

    var uploadState: UploadState {
        var payload: [String: JSONValue] = ["file": .string(file)]
        payload["etag"] = etag.map { .string($0) }
        return UploadState(driver: WebDAVDestination.driverName, payload: .object(payload))
    }
}

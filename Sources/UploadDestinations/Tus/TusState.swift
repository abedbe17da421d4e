import Foundation
import Uploads

/// What another worker needs to go on: where the upload is, and how it is cut.
struct TusState: Hashable, Sendable {
    /// May be a credential: never shown with its query.
    var url: String
    /// Bytes of every part but the last.
    var partBytes: Int64

    init(url: String, partBytes: Int64) {
        self.url = url
        self.partBytes = partBytes
    }

    /// - Throws: `sessionExpired` for a payload that this driver cannot have written.
    init(_ state: UploadState) throws(UploadError) {
        guard let url = state.payload["url"]?.string, !url.isEmpty,
            let partBytes = state.payload["partBytes"]?.integer, partBytes > 0
        else {
            throw UploadError(.sessionExpired, "the state of the tus upload cannot be read: it is begun anew")
        }
        self.init(url: url, partBytes: partBytes)
    }

    var uploadState: UploadState {
        UploadState(
            driver: TusDestination.driverName, payload: ["url": .string(url), "partBytes": .integer(partBytes)])
    }
}

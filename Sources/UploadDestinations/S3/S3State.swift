import Uploads

/// What another worker needs to go on: which upload, and how it is cut.
struct S3State: Hashable, Sendable {
    var uploadID: String
    /// Bytes of every part but the last.
    var partBytes: Int64
    /// What the parts are checked with, as it was said when the upload was begun.
    var checksum: S3Configuration.Checksum

    init(uploadID: String, partBytes: Int64, checksum: S3Configuration.Checksum) {
        self.uploadID = uploadID
        self.partBytes = partBytes
        self.checksum = checksum
    }

    /// - Throws: `sessionExpired` for a payload that this driver cannot have written.
    init(_ state: UploadState) throws(UploadError) {
        guard let uploadID = state.payload["uploadId"]?.string, !uploadID.isEmpty,
            let partBytes = state.partBytes,
            let checksum = state.payload["checksum"]?.string.flatMap(S3Configuration.Checksum.init(rawValue:))
        else {
            throw UploadError(.sessionExpired, "the state of the multipart upload cannot be read: it is begun anew")
        }
        self.init(uploadID: uploadID, partBytes: partBytes, checksum: checksum)
    }

    var uploadState: UploadState {
        UploadState(
            driver: S3Destination.driverName,
            payload: [
                "uploadId": .string(uploadID), "partBytes": .integer(partBytes), "checksum": .string(checksum.rawValue),
            ])
    }
}

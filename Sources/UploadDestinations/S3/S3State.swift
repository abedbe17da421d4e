import Uploads

/// What another worker needs to go on: which upload, and how it is cut.
struct S3State: Hashable, Sendable {
    var uploadID: String
    /// Bytes of every part but the last.
    var partBytes: Int64
    /// What the parts are checked with, as it was said when the upload was begun.
    var checksum: S3Configuration.Checksum
    /// The parts, from the first one on, that were seen to have the MD5 of what was sent as their ETag.
    var proved = S3ProvedParts()
    /// Parts that the server holds, and that are not what was sent; the first ``brokenMaximum`` are written.
    var broken: Set<Int> = []

    /// So many fit a message beside all else. Any more are found again, as these were.
    static let brokenMaximum = 500

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
        proved = S3ProvedParts(state.payload["proved"], digest: state.payload["provedDigest"])
        let numbers = (state.payload["broken"]?.array ?? []).prefix(Self.brokenMaximum).compactMap(\.integer)
        broken = Set(numbers.filter { (1...Int64(S3Limits.partCountMaximum)).contains($0) }.map { Int($0) })
    }

    var uploadState: UploadState {
        var payload: [String: JSONValue] = [
            "uploadId": .string(uploadID), "partBytes": .integer(partBytes), "checksum": .string(checksum.rawValue),
        ]
        if proved.count > 0 {
            payload["proved"] = .integer(Int64(proved.count))
            payload["provedDigest"] = .string(proved.digest)
        }
        if !broken.isEmpty {
            payload["broken"] = .array(broken.sorted().prefix(Self.brokenMaximum).map { .integer(Int64($0)) })
        }
        return UploadState(driver: S3Destination.driverName, payload: .object(payload))
    }
}

import Uploads

/// What another worker needs to continue: the upload's id, the size of parts, and the proved and broken parts.
struct S3State: Hashable, Sendable {
    var uploadID: String
    /// Bytes of every part except the last.
    var partBytes: Int64
    /// The checksum algorithm of the parts, as announced when the upload began.
    var checksum: S3Configuration.Checksum
    /// The leading parts whose ETags were seen to be the MD5 of the sent bytes.
    var proved = S3ProvedParts()
    /// Whether the server has copied each part so far, as far as that is known; nil before the first part.
    var isCopy: Bool?
    /// Parts that the server stored differently; the first ``brokenMaximum`` are written to the state.
    var broken: Set<Int> = []

    /// As many as fit into a message beside the rest of the state. Further broken parts are found again in the same way.
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
        isCopy = state.payload["isCopy"]?.bool
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
        if let isCopy { payload["isCopy"] = .bool(isCopy) }
        if !broken.isEmpty {
            payload["broken"] = .array(broken.sorted().prefix(Self.brokenMaximum).map { .integer(Int64($0)) })
        }
        return UploadState(driver: S3Destination.driverName, payload: .object(payload))
    }
}

import Uploads

/// An object in a bucket at the same endpoint, which the server can copy by itself.
struct S3CopySource: Sendable {
    /// The headers that name it (CopyObject and UploadPartCopy, Amazon S3 API Reference).
    let headers: [S3ObjectHeaders.Header]
    /// The header by which only the version that was seen first is copied.
    let condition: [S3ObjectHeaders.Header]

    /// - Returns: nil where the source is no such object, where nothing distinguishes it from a later version, where the server is known
    ///   to copy nothing, and where only sent bytes can prove what was stored (`etag: md5`).
    init?(_ source: any UploadSource, for upload: S3Upload) {
        guard upload.client.mayCopy, upload.configuration.etagMeaning != .md5,
            let found = source.sourceObject, let origin = found.origin as? S3Destination,
            origin.client.isOfSameStore(as: upload.client), found.object.hasValidator,
            found.object.etag?.hasPrefix("W/") != true,
            let key = try? S3Target(found.job, origin.configuration).key
        else { return nil }
        let version = found.object.version.map { "?versionId=\(S3Encoding.component($0))" } ?? ""
        let object = origin.configuration.object
        var headers = [("x-amz-copy-source", S3Encoding.path("\(origin.configuration.bucket)/\(key)") + version)]
        headers += S3ObjectHeaders(settings: object).ofCopySource
        if object.isRequesterPays, !upload.configuration.object.isRequesterPays {
            headers.append(("x-amz-request-payer", "requester"))
        }
        self.headers = headers
        condition = found.object.etag.map { [("x-amz-copy-source-if-match", $0)] } ?? []
    }
}

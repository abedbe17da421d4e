public import Uploads

/// Finds an object by HeadObject and reads it by GetObject with `If-Match`, of one version where the bucket keeps versions.
extension S3Destination: OriginDestination {
    public func find(_ job: UploadJob) async throws(UploadError) -> FoundObject? {
        let upload = try upload(of: job)
        switch try await upload.head() {
        case .success(let reply):
            return FoundObject(
                S3Target.object(reply, at: upload.location), contentType: reply.header("content-type"),
                enqueuedAt: S3Target.mark(of: reply).flatMap { WireJSON.date($0.enqueuedAt) })
        case .failure(let failure) where failure.status == 404 && failure.code != "NoSuchBucket": return nil
        case .failure(let failure): throw failure.error(at: upload.location)
        }
    }

    @discardableResult
    public func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Bool {
        let upload = try upload(of: job)
        return try await HTTPDownload.inAnswers(range, hasValidator: object.hasValidator, at: upload.location, take) {
            range, take async throws(UploadError) in
            try await readOnce(object, upload, range, take)
        }
    }

    private func readOnce(
        _ object: StoredObject, _ upload: S3Upload, _ range: Range<Int64>, _ take: @escaping HTTPDownload.Take
    ) async throws(UploadError) -> Bool {
        let download = HTTPDownload(
            offset: range.lowerBound, end: range.upperBound, etag: object.etag, size: object.size, take: take)
        let answer = try await client.answer(get(object, upload.target.key, download))
        guard case .failure(let failure) = answer else { return true }
        if [404, 412, 416].contains(failure.status), failure.code != "NoSuchBucket" {
            throw UploadError(
                .sourceChanged, "\(upload.location) has changed while it was read: run the job again", retry: .never,
                response: failure.response)
        }
        throw failure.error(at: upload.location)
    }
}

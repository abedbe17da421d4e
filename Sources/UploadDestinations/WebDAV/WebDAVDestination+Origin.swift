public import Uploads

/// Finds an object by a GET of one byte, then reads it by GET of ranges with `If-Match`.
extension WebDAVDestination: OriginDestination {
    public func find(_ job: UploadJob) async throws(UploadError) -> FoundObject? {
        try await reader(of: job).find()
    }

    @discardableResult
    public func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Bool {
        try await reader(of: job).read(object, range, take)
    }
}

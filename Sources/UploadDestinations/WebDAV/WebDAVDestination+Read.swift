import NIOHTTP1
public import Uploads

/// Reads an object back by GET (RFC 4918, section 9.4).
extension WebDAVDestination: ReadableDestination {
    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        try await reader(of: job).read(from: offset, take)
    }

    func reader(of job: UploadJob) throws(UploadError) -> HTTPObject {
        let path = try WebDAVTarget(job, configuration).path
        let url = client.url(path)
        return HTTPObject(
            request: try client.request(.GET, path), exchange: client.exchange(path),
            shown: { client.shown($0, of: url) },
            failure: { client.failure($0, of: "GET", at: url) })
    }
}

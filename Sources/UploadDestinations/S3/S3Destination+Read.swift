import Foundation
import NIOHTTP1
public import Uploads

/// Reads an object back by GetObject, in the version that was written where the bucket keeps versions.
extension S3Destination: ReadableDestination {
    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let key = try S3Target(job, configuration).key
        let answer = try await client.answer(get(object, key, HTTPDownload(offset: offset, take: take)))
        guard case .failure(let failure) = answer else { return }
        // The object ends at the offset or before it.
        if failure.status == 416, offset > 0 { return }
        throw failure.error(at: client.location(key))
    }

    func get(_ object: StoredObject, _ key: String, _ download: HTTPDownload) -> S3Request {
        var request = S3Request(operation: "GetObject", method: .GET, key: key)
        if let version = object.version { request.query = [SignableRequest.Parameter("versionId", version)] }
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        if let range = download.range { request.headers.append(("range", range)) }
        if let condition = download.condition { request.headers.append(("if-match", condition)) }
        request.download = download
        return request
    }
}

import Foundation
import NIOHTTP1
public import Uploads

/// By GetObject, of the version that was written where the bucket keeps versions.
extension S3Destination: ReadableDestination {
    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let upload = try upload(of: job)
        let download = HTTPDownload(offset: offset, take: take)
        var request = S3Request(operation: "GetObject", method: .GET, key: upload.target.key)
        if let version = object.version { request.query = [SignableRequest.Parameter("versionId", version)] }
        request.headers = S3ObjectHeaders(settings: configuration.object).ofEveryRequest
        if let range = download.range { request.headers.append(("range", range)) }
        request.download = download
        _ = try await client.send(request)
    }
}

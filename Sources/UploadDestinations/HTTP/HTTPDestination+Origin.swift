import Foundation
import NIOHTTP1
public import Uploads

/// Finds an object by a GET of one byte, which a pre-signed URL allows, too; then reads it by GET of ranges with `If-Match` (RFC 9110).
extension HTTPDestination: OriginDestination {
    public func find(_ job: UploadJob) async throws(UploadError) -> FoundObject? { try await object(job).find() }

    @discardableResult
    public func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Bool {
        try await self.object(job).read(object, range, take)
    }

    func object(_ job: UploadJob) throws(UploadError) -> HTTPObject {
        let target = try target(job)
        return HTTPObject(
            request: try target.request(.GET), exchange: exchange(target), shown: target.shown,
            failure: { target.failure(target.shown($0), of: .GET) })
    }
}

public import Uploads

/// Removes an object by DeleteObject. In a bucket that keeps versions, its bytes stay below a delete marker until a lifecycle rule of the
/// bucket removes them.
extension S3Destination: RemovableDestination {
    public func removeObject(of job: UploadJob) async throws(UploadError) {
        try await client.delete(try upload(of: job).target.key)
    }
}

import Foundation
public import Uploads

/// Reads an object back by GET of the same URL (RFC 9110, section 9.3.1), where the server allows that.
extension HTTPDestination: ReadableDestination {
    public func readBackProblem(of job: UploadJob) -> UploadError? {
        guard let target = try? target(job) else { return nil }
        if configuration.method == .post {
            return UploadError(
                .rejected,
                "\(target.displayURL) cannot be read back: a POST stores the file at another URL; enqueue the file without --verify"
            )
        }
        guard target.isPresigned else { return nil }
        return UploadError(
            .rejected,
            "\(target.displayURL) cannot be read back: a pre-signed URL is good for one method only; enqueue the file without --verify"
        )
    }

    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        try await self.object(job).read(from: offset, take)
    }
}

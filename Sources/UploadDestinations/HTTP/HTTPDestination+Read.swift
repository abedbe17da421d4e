import AsyncHTTPClient
import Foundation
import NIOHTTP1
public import Uploads

/// By GET of the same URL (RFC 9110, section 9.3.1), where the server allows that.
extension HTTPDestination: ReadableDestination {
    public func readBackProblem(of job: UploadJob) -> UploadError? {
        guard let target = try? HTTPTarget(job, configuration), target.isPresigned else { return nil }
        return UploadError(
            .rejected,
            "\(target.displayURL) cannot be read back: a pre-signed URL is good for one method only; enqueue the file without --verify"
        )
    }

    public func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let target = try HTTPTarget(job, configuration)
        let download = HTTPDownload(offset: offset, take: take)
        var request = try target.request(.GET)
        if let range = download.range { request.headers.replaceOrAdd(name: "range", value: range) }
        // What is compressed on the way could not be compared.
        request.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
        let reply = try await exchange(target).download(request, to: download)
        guard (200..<300).contains(reply.status) else {
            let error = target.failure(target.shown(reply))
            guard [401, 403, 405, 501].contains(reply.status) else { throw error }
            throw UploadError(
                error.code,
                "\(target.displayURL) was uploaded, but cannot be read back (GET was answered \(reply.status)): allow it, or "
                    + "enqueue without --verify", retry: .never, response: error.response)
        }
    }
}

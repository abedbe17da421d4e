import Foundation
import NIOHTTP1
import Uploads

// Multipart uploads: those of a job, of the sweep and of a survey; and the list of objects.
extension S3Client {
    /// One page of the parts that an upload holds.
    /// - Parameter marker: the number of the last part on the page before; nil for the first page.
    /// - Throws: `sessionExpired` when the upload is gone.
    func parts(
        of uploadID: String, key: String, after marker: Int? = nil, limit: Int
    ) async throws(UploadError) -> S3PartList {
        var request = S3Request(operation: "ListParts", method: .GET, key: key)
        request.query = [SignableRequest.Parameter("max-parts", String(limit))]
        if let marker { request.query.append(SignableRequest.Parameter("part-number-marker", String(marker))) }
        request.query.append(SignableRequest.Parameter("uploadId", uploadID))
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        request.keptBytesMaximum = S3Limits.pageBytesMaximum
        return try await answerOfSession(request).xml(S3PartList.self, of: request.operation)
    }

    /// All parts that an upload holds.
    /// - Throws: `sessionExpired` when the upload is gone.
    func allParts(of uploadID: String, key: String) async throws(UploadError) -> [S3PartList.Part] {
        var all: [S3PartList.Part] = []
        var marker: Int?
        repeat {
            let page = try await parts(of: uploadID, key: key, after: marker, limit: S3Limits.pageMaximum)
            all += page.parts ?? []
            let last = page.nextMarker ?? page.parts?.last?.number
            // A server that returns the same page again, or more parts than an upload can have, would be asked for ever.
            guard page.isTruncated == true, let last, last > marker ?? 0, all.count < S3Limits.partCountMaximum else {
                return all
            }
            marker = last
        } while true
    }

    /// Aborts an upload. Parts in transit may be stored after an abort, so the abort is repeated until the upload is gone ("Aborting a
    /// multipart upload", Amazon S3 User Guide).
    ///
    /// An upload of which the object was made is left alone. Amazon's servers forget it with its completion. OpenStack Swift lists it
    /// still where the completion was cut off behind the object, and an abort then removes the parts, which are the object's bytes.
    /// - Parameters:
    ///   - job: whose upload it is; nil: not known.
    ///   - isTrial: whether the key's object is only a trial, and may lose its bytes.
    func abort(
        _ uploadID: String, key: String, of job: UploadJob? = nil, isTrial: Bool = false
    ) async throws(UploadError) {
        if !isTrial, try await isMade(ofParts: uploadID, key: key, by: job) { return }
        for _ in 0..<3 {
            var request = S3Request(operation: "AbortMultipartUpload", method: .DELETE, key: key)
            request.query = [SignableRequest.Parameter("uploadId", uploadID)]
            request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
            if case .failure(let failure) = try await answer(request) {
                if failure.status == 404 { return }
                throw failure.error(at: location(key))
            }
            do throws(UploadError) {
                _ = try await parts(of: uploadID, key: key, limit: 1)
            } catch {
                // The upload is gone; or the credentials may not list it, and then the server's answer to the abort has to suffice.
                if error.code == .sessionExpired || error.forbidsListing { return }
                throw error
            }
        }
        throw UploadError(
            .serverFailure,
            "\(location(key)): the server answers that the multipart upload is aborted, and it is still there",
            retry: .never)
    }

    /// Whether the object under a key is made, or may be made, of an upload's parts; also where nothing is left of the upload.
    private func isMade(ofParts uploadID: String, key: String, by job: UploadJob?) async throws(UploadError) -> Bool {
        guard !isAmazon else { return false }
        var request = S3Request(operation: "HeadObject", method: .HEAD, key: key)
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        guard case .success(let reply) = try await answer(request) else { return false }
        // An upload has the mark of its job from its beginning.
        if let job, let mark = S3Target.mark(of: reply), !mark.belongs(to: job) { return false }
        let object = S3Target.object(reply, at: location(key))
        let parts: [S3PartList.Part]
        do throws(UploadError) {
            parts = try await allParts(of: uploadID, key: key)
        } catch {
            guard error.code == .sessionExpired || error.forbidsListing else { throw error }
            return true
        }
        guard parts.map(\.size).sumSaturating() == object.size else { return false }
        guard let composite = S3Evidence.composite(parts.map(\.etag)), let etag = object.etag else { return true }
        return etag == S3Target.quoted(composite)
    }

    /// Removes an object, or one version of it. A missing one is no error.
    /// - Returns: the answer; nil when there was nothing.
    @discardableResult
    func delete(_ key: String, version: String? = nil) async throws(UploadError) -> HTTPReply? {
        var request = S3Request(operation: "DeleteObject", method: .DELETE, key: key)
        request.query = version.map { [SignableRequest.Parameter("versionId", $0)] } ?? []
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        switch try await answer(request) {
        case .success(let reply): return reply
        case .failure(let failure) where failure.status == 404 && failure.code != "NoSuchBucket": return nil
        case .failure(let failure): throw failure.error(at: location(key))
        }
    }

    /// One page of the unfinished uploads below a prefix, in the order of their keys.
    func uploads(
        below prefix: String, after last: (key: String, uploadID: String)?
    ) async throws(UploadError) -> S3UploadList {
        var request = S3Request(operation: "ListMultipartUploads", method: .GET)
        if let last {
            request.query += [
                SignableRequest.Parameter("key-marker", last.key),
                SignableRequest.Parameter("upload-id-marker", last.uploadID),
            ]
        }
        request.query += [
            SignableRequest.Parameter("max-uploads", String(S3Limits.pageMaximum)),
            SignableRequest.Parameter("prefix", prefix), SignableRequest.Parameter("uploads"),
        ]
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        request.keptBytesMaximum = S3Limits.pageBytesMaximum
        return try await send(request).xml(S3UploadList.self, of: request.operation)
    }

    /// One page of the objects below a prefix, in the order of their keys.
    /// - Parameter token: where the page before ended; nil for the first page.
    func objects(below prefix: String, after token: String?) async throws(UploadError) -> S3ObjectList {
        var request = S3Request(operation: "ListObjectsV2", method: .GET)
        if let token { request.query.append(SignableRequest.Parameter("continuation-token", token)) }
        request.query += [
            // XML cannot hold every character of a key.
            SignableRequest.Parameter("encoding-type", "url"), SignableRequest.Parameter("list-type", "2"),
            SignableRequest.Parameter("max-keys", String(S3Limits.pageMaximum)),
            SignableRequest.Parameter("prefix", prefix),
        ]
        request.headers = S3ObjectHeaders(settings: configuration.object).ofObjectRequests
        request.keptBytesMaximum = S3Limits.pageBytesMaximum
        return try await send(request).xml(S3ObjectList.self, of: request.operation)
    }

    func answerOfSession(_ request: S3Request) async throws(UploadError) -> HTTPReply {
        switch try await answer(request) {
        case .success(let reply): return reply
        case .failure(let failure) where failure.saysUploadIsGone:
            throw gone(request.key ?? "")
        case .failure(let failure): throw failure.error(at: location(request.key))
        }
    }

    func gone(_ key: String) -> UploadError {
        UploadError(.sessionExpired, "the multipart upload to \(location(key)) is gone: it is begun anew")
    }
}

extension UploadError {
    /// Whether the server says that the credentials may not list, or does not support listing.
    var forbidsListing: Bool {
        [405, 501].contains(response?.status) || response?.body?.hasPrefix("AccessDenied") == true
    }
}

import NIOHTTP1
import Uploads

// Copies that the server makes by itself ("Copying, moving, and renaming objects", Amazon S3 User Guide). Whatever it refuses, the worker
// carries, so that errors of the source and of the destination are reported by the requests that read and write.
extension S3Upload {
    /// Copies the whole object in one request, with the properties and the metadata of the job.
    /// - Returns: nil where the worker has to carry the bytes.
    func copyWhole(
        from source: any UploadSource, _ condition: WriteCondition
    ) async throws(UploadError) -> CompletedUpload? {
        guard let origin = S3CopySource(source, for: self) else { return nil }
        let isObeyed = obeysConditions(.copy)
        // Such a server refuses a PUT whose condition does not hold, and may make a copy in spite of it.
        guard condition == .none || isObeyed || !obeysConditions(.put) else { return nil }
        if condition != .none, !isObeyed { try await expect(condition) }
        guard var upload = try await copy(origin, isObeyed ? condition : .none) else { return nil }
        upload = try await checked(Written(upload: upload, seen: isObeyed ? nil : try await expectOwn()))
        upload.object.isServerSideCopy = true
        return upload
    }

    private func copy(
        _ origin: S3CopySource, _ condition: WriteCondition
    ) async throws(UploadError) -> CompletedUpload? {
        var request = S3Request(operation: S3Request.copy, method: .PUT, key: target.key)
        request.headers = try objectHeaders.ofCreation(target) + origin.headers + origin.condition + condition.headers
        request.headers += [("x-amz-metadata-directive", "REPLACE"), ("x-amz-tagging-directive", "REPLACE")]
        if configuration.checksum != .none {
            request.headers.append(("x-amz-checksum-algorithm", configuration.checksum.rawValue.uppercased()))
        }
        let answer: CopyAnswer<S3CopiedObject>
        do throws(UploadError) {
            answer = try await send(request, as: S3CopiedObject.self)
        } catch {
            // A server that is too long about a copy may take the bytes; one that is away tells so to the PUT as well.
            guard error.code == .networkFailure else { throw error }
            return nil
        }
        guard case .done(var reply, let document) = answer else { return nil }
        guard let etag = document.etag, !etag.isEmpty else {
            client.noteCopiesLack()
            try await removeEmptyObject()
            return nil
        }
        reply.setHeader("etag", to: etag)
        if let crc64nvme = document.crc64nvme, !crc64nvme.contains("-") {
            reply.setHeader("x-amz-checksum-crc64nvme", to: crc64nvme)
        }
        return try made(reply, md5: nil)
    }

    /// Removes the object that a server has stored which takes the request for a PUT without a body. The job's condition may be that
    /// there is no object.
    private func removeEmptyObject() async throws(UploadError) {
        guard case .success(let reply) = try await head(),
            S3Target.mark(of: reply)?.belongs(to: target.job) == true,
            S3Target.object(reply, at: location).size == 0
        else { return }
        try await client.delete(target.key)
    }

    /// Whether the server copies parts, as far as a trial tells.
    ///
    /// A server without copies may answer such a request like the upload of an empty part, and not every server lets that part be replaced
    /// (`rclone serve s3` does not): it would spoil the upload of the job.
    func canCopyParts(of origin: S3CopySource) async throws(UploadError) -> Bool {
        if client.isAmazon { return true }
        return try await client.partCopies.learn { () async throws(UploadError) in
            try await tryCopyingParts(of: origin)
        } == true
    }

    /// Has the server copy one byte into an upload that is aborted afterwards, under a key of its own.
    /// - Returns: nil where the server refuses, which it may do because of this source.
    private func tryCopyingParts(of origin: S3CopySource) async throws(UploadError) -> Bool? {
        var trial = self
        trial.target.key = "\(configuration.prefix).longshore-trial/\(target.job.id)"
        let uploadID: String
        do throws(UploadError) {
            uploadID = try await trial.create()
        } catch  where error.code == .accessDenied || error.code == .rejected {
            return nil  // that key is not for these credentials
        }
        let state = S3State(uploadID: uploadID, partBytes: PartPlan.blockBytes, checksum: configuration.checksum)
        let answer: Result<CopyAnswer<S3CopiedPart>, UploadError>
        do throws(UploadError) {
            let request = trial.copying(0..<1, from: origin, to: state, as: 1)
            answer = .success(try await trial.send(request, as: S3CopiedPart.self))
        } catch {
            answer = .failure(error)
        }
        // What may not be aborted, the bucket's life-cycle rule removes.
        try? await trial.abort(state, isTrial: true)
        switch answer {
        case .success(.done(_, let document)): return document.etag?.isEmpty == false
        case .failure(let error) where error.code != .sessionExpired: throw error
        case .success, .failure: return nil
        }
    }

    /// Copies the bytes of a part.
    ///
    /// OpenStack Swift refuses the condition for an object that was made of parts, although it holds (412). Where the source object is
    /// still the one that was seen first, the part is then copied without a condition: before an upload is completed, the worker asks once more
    /// whether the source has changed.
    /// - Parameter checksum: of the part's bytes, where it is known.
    /// - Returns: nil where the worker has to carry the bytes.
    /// - Throws: `sessionExpired` also where the server has answered without an ETag.
    func copy(
        _ part: Part, from source: any UploadSource, _ origin: S3CopySource, to state: S3State,
        expecting checksum: CRC64NVME?
    ) async throws(UploadError) -> S3MultipartSession.HeldPart? {
        let request = copying(part.range, from: origin, to: state, as: part.number)
        let isConditional = client.comparesCopySources
        var conditional = request
        if isConditional { conditional.headers += origin.condition }
        var answer = try await send(conditional, as: S3CopiedPart.self)
        if case .refused(412) = answer, isConditional {
            try await source.verifyUnchanged()
            client.noteCopySourcesAreNotCompared()
            answer = try await send(request, as: S3CopiedPart.self)
        }
        guard case .done(_, let document) = answer else { return nil }
        guard let etag = document.etag, !etag.isEmpty else {
            client.partCopies.note(false)
            try await abort(state)
            throw UploadError(
                .sessionExpired,
                "the server answered the copy of part \(part.number) of \(location) without an ETag, and may have stored an empty part: the "
                    + "upload is begun anew, and the worker carries the bytes")
        }
        let told = document.checksums[state.checksum]
        if state.checksum == .crc64nvme, let told, let checksum, S3Digest.base64(checksum.hexadecimal) != told {
            return nil
        }
        return S3MultipartSession.HeldPart(etag: etag, checksum: told)
    }

    /// The request that copies a range of bytes as a part.
    private func copying(
        _ range: Range<Int64>, from origin: S3CopySource, to state: S3State, as number: Int
    ) -> S3Request {
        var request = S3Request(operation: S3Request.partCopy, method: .PUT, key: target.key)
        request.query = [
            SignableRequest.Parameter("partNumber", String(number)),
            SignableRequest.Parameter("uploadId", state.uploadID),
        ]
        request.headers = objectHeaders.ofObjectRequests + origin.headers
        request.headers.append(("x-amz-copy-source-range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        return request
    }

    private enum CopyAnswer<Document> {
        /// The document has no fields where the answer is none of S3.
        case done(HTTPReply, Document)
        case refused(status: Int)
    }

    /// Sends a request that copies.
    /// - Throws: `sessionExpired` when the multipart upload is gone, `rateLimited`, `networkFailure`.
    private func send<Document: S3CopyDocument>(
        _ request: S3Request, as type: Document.Type
    ) async throws(UploadError) -> CopyAnswer<Document> {
        let failure: S3Failure
        switch try await client.answer(request) {
        // The server may send the status before it makes the copy.
        case .success(let reply) where reply.errorDocument != nil:
            failure = S3Failure(reply, operation: request.operation)
        case .success(let reply):
            do throws(UploadError) {
                return .done(reply, try reply.xml(type, of: request.operation))
            } catch {
                guard reply.isWhole else { throw error }
                return .done(reply, Document())
            }
        case .failure(let refused): failure = refused
        }
        if failure.code == "NoSuchUpload" { throw gone }
        if failure.isThrottling { throw failure.error(at: location) }
        if failure.isNotImplemented || failure.status == 405 { client.noteCopiesLack() }
        return .refused(status: failure.status)
    }
}

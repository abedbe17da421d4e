import Foundation
import Uploads
import XMLCoder

// The requests that create an object, and the checks of their results.
extension S3Upload {
    /// Makes the object in one request: a copy where the server can make it, else a PUT.
    func putWhole(
        _ part: Part, from source: any UploadSource, _ condition: WriteCondition,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> CompletedUpload {
        if let copied = try await copyWhole(from: source, condition) { return copied }
        let prepared = try await S3Digest.of(
            part, from: source, target, algorithm: target.configuration.checksum, keeping: client.kept)
        let written = try await conditionally(condition, .put) { condition async throws(UploadError) in
            let body = HTTPBody(
                source: prepared.bytes, size: part.size, takesMD5: self.client.takesMD5(of: "PutObject"),
                sent: sent)
            switch try await self.put(body, prepared.digest, condition) {
            case .failure(let failure): return .refused(failure)
            case .success(let reply):
                guard body.isComplete else {
                    throw UploadError(
                        .invalidResponse, "\(self.location) took the file before it had all of it: look at the server",
                        response: reply.response)
                }
                guard reply.givenETag != nil, !reply.isPage else {
                    throw reply.unbelievable("PutObject \(self.location)")
                }
                return .made(try self.made(reply, md5: body.md5, checksum: prepared.digest.checksum))
            }
        }
        try await expectLock(written.seen)
        return written.upload
    }

    /// Checks that an object is locked, until one was seen to be: a server without locks ignores their headers.
    /// - Parameter seen: the answer to HEAD, if the object was already asked for.
    private func expectLock(_ seen: HTTPReply?) async throws(UploadError) {
        guard target.configuration.object.isLocked, !client.isKnownToLock else { return }
        if let seen { return try checkLock(of: seen) }
        // A lost answer does not undo a write that the server has confirmed.
        for _ in 0..<2 {
            let answer: S3Client.Answer
            do throws(UploadError) { answer = try await head() } catch { continue }
            switch answer {
            case .success(let reply): return try checkLock(of: reply)
            case .failure(let failure) where failure.status == 403:
                throw UploadError(
                    .rejected,
                    "\(location) is written, and whether it is locked cannot be seen: let the credentials read it (s3:GetObject, "
                        + "s3:GetObjectRetention, s3:GetObjectLegalHold), or take objectLock and legalHold out of the destination",
                    retry: .never)
            case .failure: return
            }
        }
    }

    /// - Parameter reply: the answer to HEAD of the job's own object.
    /// - Throws: `rejected` where the object lacks the lock that the destination asks for.
    func checkLock(of reply: HTTPReply) throws(UploadError) {
        let settings = target.configuration.object
        guard settings.isLocked, !client.isKnownToLock else { return }
        let lacksMode = settings.lockMode != nil && reply.header("x-amz-object-lock-mode") == nil
        let lacksHold = settings.isUnderLegalHold && reply.header("x-amz-object-lock-legal-hold")?.uppercased() != "ON"
        guard lacksMode || lacksHold else { return client.noteLock() }
        throw UploadError(
            .rejected,
            "\(location) is stored without its \(lacksMode ? "object lock" : "legal hold"): the server passes over it, or the credentials may not "
                + "see it (s3:GetObjectRetention, s3:GetObjectLegalHold); use a bucket with object lock, or take objectLock and legalHold out "
                + "of the destination",
            retry: .never, response: reply.response)
    }

    /// The requests that create an object.
    enum Write { case put, copy, completion }

    /// The result of such a request.
    enum WriteAnswer {
        case made(CompletedUpload)
        case refused(S3Failure)
    }

    /// The result of a conditional write.
    struct Written {
        var upload: CompletedUpload
        /// The answer to HEAD of the object after the write, if it was asked for and there is one.
        var seen: HTTPReply?
    }

    /// Writes under a condition. Where the server does not check it, the driver looks at the object before and after the write: an object
    /// that another client writes in between is overwritten.
    func conditionally(
        _ condition: WriteCondition, _ kind: Write,
        write: (WriteCondition) async throws(UploadError) -> WriteAnswer
    ) async throws(UploadError) -> Written {
        guard condition != .none else { return Written(upload: try made(try await write(.none))) }
        let isObeyed = obeysConditions(kind)
        if !isObeyed { try await expect(condition) }
        // An unknown server obeys `If-None-Match`, ignores it, or says that it does not support it. Some refuse every `If-Match` (Ceph
        // RGW 18 does, because of the quotes).
        let sent = isObeyed || (client.conditions == nil && condition == .absent) ? condition : .none
        switch try await write(sent) {
        case .refused(let failure) where sent != .none && failure.isNotImplemented:
            try await expect(condition)
            let upload = try made(try await write(.none))
            return Written(upload: upload, seen: try await expectOwn())
        case let answer:
            let upload = try made(answer)
            return Written(upload: upload, seen: isObeyed ? nil : try await expectOwn())
        }
    }

    /// Whether the server itself is known to refuse a write whose condition does not hold.
    func obeysConditions(_ kind: Write) -> Bool {
        switch kind {
        case .put: [.all, .put].contains(client.conditions)
        case .completion: client.conditions == .all
        // Amazon's documentation of CopyObject names conditions; which other servers obey them is not known.
        case .copy: client.conditions == .all && client.isAmazon
        }
    }

    private func made(_ answer: WriteAnswer) throws(UploadError) -> CompletedUpload {
        switch answer {
        case .made(let upload): return upload
        case .refused(let failure): throw failure.error(at: location)
        }
    }

    /// The created object, with the evidence for it.
    /// - Parameters:
    ///   - md5: the ETag that is expected where ETags are MD5; nil where that is not known.
    ///   - checksum: the value of the checksum's header in the request; nil for an upload in parts.
    /// - Throws: `checksumMismatch` when the server reports that it stored other bytes.
    func made(_ reply: HTTPReply, md5: String?, checksum: String? = nil) throws(UploadError) -> CompletedUpload {
        let job = target.job
        let told = S3Digest.digests(of: reply)
        let echo = S3Digest.header(configuration.checksum).flatMap { reply.header($0) }
        let isEqual = checksum.flatMap { checksum in echo.map { $0 == checksum } }
        let isOther = told.contradicts(job.digests) || isEqual == false
        let isChecked = told.confirms(job.digests) || isEqual == true
        let evidence = S3Evidence(reply.givenETag, expected: md5, meaning: target.configuration.etagMeaning)
        guard !isOther, isChecked || evidence != .contradicted else {
            let hint = isOther ? "" : " (its ETag is not the MD5 of the sent bytes)"
            throw UploadError(
                .checksumMismatch, "\(location) stored other bytes than were sent: they are sent again\(hint)",
                response: reply.response)
        }
        let object = StoredObject(
            location: location, etag: reply.givenETag.map(S3Target.quoted), version: reply.header("x-amz-version-id"),
            size: job.size, digests: job.digests,
            verified: isChecked ? .checksum : evidence == .proved ? .etag : nil)
        return CompletedUpload(object, response: reply.response)
    }

    /// The result of CompleteMultipartUpload, checked by HEAD where the answer itself proves nothing.
    func checked(_ written: Written) async throws(UploadError) -> CompletedUpload {
        try await expectLock(written.seen)
        var upload = written.upload
        guard upload.object.verified == nil else { return upload }
        // The server has not described the object that it made of the parts: at least the size must be right.
        var seen = written.seen
        if seen == nil { seen = try await self.seen() }
        guard let head = seen else { return upload }
        let found = S3Target.object(head, at: location)
        guard S3Target.mark(of: head)?.belongs(to: target.job) == true else { return upload }
        guard found.size == target.job.size, !found.digests.contradicts(target.job.digests) else {
            throw UploadError(
                .checksumMismatch,
                "\(location) has \(found.size ?? 0) bytes instead of \(target.job.size): it is sent again",
                response: head.response)
        }
        if client.tellsChecksums, found.digests.confirms(target.job.digests) { upload.object.verified = .checksum }
        // Some servers name another ETag when they put the parts together.
        upload.object.etag = found.etag
        return upload
    }

    /// The answer to HEAD of the object; nil if that fails.
    private func seen() async throws(UploadError) -> HTTPReply? {
        guard case .success(let reply) = try await head() else { return nil }
        return reply
    }

    /// Checks whether another job has written to the same key at the same time. An object without a mark is left alone, because some
    /// servers drop metadata; and if the object cannot be seen, the confirmed write still counts.
    /// - Returns: the answer to HEAD of the object.
    func expectOwn() async throws(UploadError) -> HTTPReply? {
        var seen: HTTPReply?
        do throws(UploadError) { seen = try await self.seen() } catch {}
        guard let reply = seen else { return nil }
        guard S3Target.mark(of: reply)?.belongs(to: target.job) ?? true else {
            throw UploadError(.preconditionFailed, "another job wrote to \(location) at the same time")
        }
        return reply
    }

    /// The error when the existing object cannot be seen, which is necessary before a conditional write.
    func unseen(_ failure: S3Failure) -> UploadError {
        let error = failure.error(at: location)
        return UploadError(
            error.code,
            error.message
                + "; the existing object has to be seen before it may be replaced: let the credentials read and list it (s3:GetObject, "
                + "s3:ListBucket), or give the destination the conditions that its server obeys",
            retry: error.retry, response: error.response)
    }

    func expect(_ condition: WriteCondition) async throws(UploadError) {
        let answer = try await head()
        switch (condition, answer) {
        case (.none, _): return
        // Only this status shows that there is no object.
        case (.absent, .failure(let failure)) where failure.status == 404: return
        // The existing object is replaced in any case.
        case (.absent, .failure(let failure)) where failure.code == "AccessDenied" && target.job.ifExists == .replace:
            return
        case (_, .failure(let failure)) where failure.status == 403: throw unseen(failure)
        case (_, .failure(let failure)) where failure.status != 404: throw failure.error(at: location)
        case (.unchanged(let etag), .success(let reply)) where reply.header("etag").map(S3Target.quoted) == etag: return
        default:
            throw UploadError(.preconditionFailed, "the object at \(location) is not as expected")
        }
    }
}

extension S3Failure {
    var isNotImplemented: Bool { status == 501 || code == "NotImplemented" }
}

extension S3PartsToComplete {
    func encoded() throws(UploadError) -> Data {
        do {
            let encoder = XMLEncoder()
            return try encoder.encode(
                self, withRootKey: "CompleteMultipartUpload",
                rootAttributes: ["xmlns": "http://s3.amazonaws.com/doc/2006-03-01/"])
        } catch {
            throw UploadError(.unknown, "the list of parts cannot be written as XML", cause: error)
        }
    }
}

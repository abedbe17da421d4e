import Foundation
import NIOHTTP1
import Synchronization
import Uploads

extension S3Survey {
    // MARK: Stored objects

    func tryReading() async {
        let small = key("small")
        await attempt("look at an object", right: "s3:GetObject") { () async throws(UploadError) -> Outcome in
            let reply = try self.success(try await self.upload("small", S3SurveyBytes(count: 0)).head(), small)
            guard reply.header("content-length") == String(Self.smallBytes) else {
                return (.no, "it reports \(reply.header("content-length") ?? "no") bytes instead of \(Self.smallBytes)")
            }
            guard S3Target.mark(of: reply) != nil else {
                return (.no, "it drops the metadata, so no worker can tell whose an object is")
            }
            return (.yes, "HEAD tells size, ETag and metadata")
        }
        await attempt("read an object", right: "s3:GetObject") { () async throws(UploadError) -> Outcome in
            let bytes = S3SurveyBytes(count: Self.smallBytes)
            _ = try self.success(try await self.put("read", bytes), self.key("read"))
            let read = Mutex<[UInt8]>([])
            let download = HTTPDownload(offset: 0) { buffer async throws(UploadError) in
                let isLonger = read.withLock { read in
                    read += buffer.prefix(Self.smallBytes + 1)
                    return read.count > Self.smallBytes
                }
                guard !isLonger else {
                    throw UploadError(.invalidResponse, "it sends more bytes than were sent", retry: .never)
                }
            }
            var request = S3Request(operation: "GetObject", method: .GET, key: self.key("read"))
            request.headers = S3ObjectHeaders(settings: self.client.configuration.object).ofObjectRequests
            request.download = download
            _ = try await self.client.send(request)
            return read.withLock { $0 } == bytes.bytes
                ? (.yes, "it has the bytes that were sent") : (.no, "it has other bytes than were sent")
        }
    }

    func tryListing() async {
        await attempt("list objects", right: "s3:ListBucket") { () async throws(UploadError) -> Outcome in
            var request = S3Request(operation: "ListObjectsV2", method: .GET)
            request.query = [
                SignableRequest.Parameter("list-type", "2"), SignableRequest.Parameter("max-keys", "10"),
                SignableRequest.Parameter("prefix", self.key("")),
            ]
            request.headers = S3ObjectHeaders(settings: self.client.configuration.object).ofObjectRequests
            request.keptBytesMaximum = S3Limits.pageBytesMaximum
            let list = try await self.client.send(request).xml(S3ObjectList.self, of: request.operation)
            return list.objects?.contains { $0.key == self.key("small") } == true
                ? (.yes, "ListObjectsV2 has the written object") : (.no, "ListObjectsV2 lacks the written object")
        }
    }

    func tryCopying() async {
        await attempt("copy an object", right: "s3:GetObject, s3:PutObject") {
            () async throws(UploadError) -> Outcome in
            let target = try self.upload("copy", S3SurveyBytes(count: 0)).target
            var request = S3Request(operation: S3Request.copy, method: .PUT, key: target.key)
            request.headers = S3ObjectHeaders(settings: self.client.configuration.object).ofObjectRequests
            request.headers.append(
                ("x-amz-copy-source", S3Encoding.path("/\(self.client.configuration.bucket)/\(self.key("small"))")))
            request.headers += S3ObjectHeaders(settings: self.client.configuration.object).ofCopySource
            let reply = self.noting(try await self.client.send(request), of: "copy")
            // The server may send the status before it makes the copy.
            if reply.errorDocument != nil {
                throw S3Failure(reply, operation: request.operation).error(at: self.client.location(target.key))
            }
            _ = try reply.xml(S3CopiedObject.self, of: request.operation)
            return (.yes, "within the bucket")
        }
    }

    // MARK: Conditions and checksums

    /// An ETag that no object has.
    private var foreignETag: String { "\"\(S3SurveyBytes(count: 8).md5)\"" }

    func tryConditions() async {
        await attempt("conditions of PutObject", right: "s3:GetObject") { () async throws(UploadError) -> Outcome in
            let small = try self.upload("small", S3SurveyBytes(count: 0))
            func write(_ condition: WriteCondition, holds: Bool = false) async throws(UploadError)
                -> S3Measurements.Conditioned.Answer
            {
                try self.answer(
                    to: try await self.put("small", S3SurveyBytes(count: Self.smallBytes), condition), holds: holds,
                    small)
            }
            self.measured.put.absent = try await write(.absent)
            self.measured.put.other = try await write(.unchanged(etag: self.foreignETag))
            self.measured.put.own = try await write(.unchanged(etag: try await self.etag(of: small)), holds: true)
            return self.outcome(self.measured.put)
        }
    }

    private func outcome(_ conditioned: S3Measurements.Conditioned) -> Outcome {
        (conditioned.isObeyed.map { $0 ? .yes : .no } ?? .unknown, conditioned.words)
    }

    /// - Parameter holds: whether the condition of the write holds.
    private func answer(
        to answer: S3Client.Answer, holds: Bool, _ upload: S3Upload
    ) throws(UploadError) -> S3Measurements.Conditioned.Answer {
        switch answer {
        case .success: return holds ? .obeyed : .ignored
        case .failure(let failure) where failure.status == 412: return holds ? .refused : .obeyed
        case .failure(let failure) where failure.isNotImplemented: return .lacking
        case .failure(let failure): throw failure.error(at: upload.location)
        }
    }

    func tryWrongChecksum() async {
        guard let header = S3Digest.header(client.configuration.checksum) else {
            tell(SurveyFinding("compare checksums", .unknown, "the destination says checksum: none"))
            return
        }
        await attempt("compare checksums", right: "s3:PutObject") { () async throws(UploadError) -> Outcome in
            switch try await self.put("wrong", wrongChecksum: true) {
            case .success:
                self.measured.comparesChecksums = false
                return (.no, "it stores an object whose \(header) is wrong")
            case .failure(let failure) where failure.status == 400:
                self.measured.comparesChecksums = true
                return (.yes, "a wrong \(header) is refused")
            case .failure(let failure): throw failure.error(at: self.client.location(self.key("wrong")))
            }
        }
        guard let tells = measured.tellsChecksums else { return }
        tell(
            SurveyFinding(
                "tell checksums", tells ? .yes : .no,
                tells ? "PutObject answers with \(header)" : "PutObject answers without \(header)"))
    }

    // MARK: Parts

    func tryParts() async {
        let bytes = S3SurveyBytes(count: Self.largeBytes)
        let plan = PartPlan(size: bytes.size, partSize: PartPlan.blockBytes)
        var begun: (upload: S3Upload, state: S3State)?
        var sent: [S3PartsToComplete.Part] = []
        let isWritten = await attempt("write in parts", right: "s3:PutObject", isNeeded: true) {
            () async throws(UploadError) -> Outcome in
            // Overwrites the small object, so that conditions have an object to compare with.
            let (upload, state) = try await self.begin("small", bytes)
            let start = ContinuousClock.now
            for part in plan.parts {
                let digest = try await S3Digest.of(
                    part, from: bytes, upload.target, algorithm: state.checksum, keeping: self.client.kept
                ).digest
                let held = try await upload.send(part, bytes.body(part.range), digest, to: state)
                sent.append(
                    S3PartsToComplete.Part(
                        number: part.number, etag: held.etag, crc32c: state.checksum == .crc32c ? held.checksum : nil,
                        sha256: state.checksum == .sha256 ? held.checksum : nil))
            }
            begun = (upload, state)
            let seconds = max(0.001, (ContinuousClock.now - start) / .seconds(1))
            let pace = Double(Self.largeBytes) / seconds / Double(1 << 20)
            return (.yes, "8 MiB and 1 KiB arrived, \(String(format: "%.1f", pace)) MiB/s")
        }
        guard isWritten, let (upload, state) = begun else { return }
        await tryListingParts(of: upload, state)
        await tryCompleting(S3PartsToComplete(parts: sent), of: upload, state, plan.parts.map { bytes.md5($0.range) })
        tellETags()
    }

    private func tryListingParts(of upload: S3Upload, _ state: S3State) async {
        await attempt("list parts", right: "s3:ListMultipartUploadParts") { () async throws(UploadError) -> Outcome in
            let count = try await upload.parts(of: state).parts?.count ?? 0
            return count == 2 ? (.yes, "ListParts has both") : (.no, "ListParts has \(count) of 2")
        }
        await attempt("list unfinished uploads", right: "s3:ListBucketMultipartUploads") {
            () async throws(UploadError) -> Outcome in
            let page = try await self.client.uploads(below: self.key(""), after: nil)
            return page.uploads?.contains { $0.uploadID == state.uploadID } == true
                ? (.yes, "ListMultipartUploads has the one that is open")
                : (.no, "ListMultipartUploads lacks the one that is open: the sweep would not find it")
        }
    }

    /// Completes under one condition after the other, until the object is made.
    private func tryCompleting(
        _ parts: S3PartsToComplete, of upload: S3Upload, _ state: S3State, _ md5: [String]
    ) async {
        var made: HTTPReply?
        func complete(_ condition: WriteCondition, holds: Bool = false) async throws(UploadError)
            -> S3Measurements.Conditioned.Answer
        {
            let answer = try await upload.complete(parts, state, condition)
            if case .success(let reply) = answer { made = self.noting(reply, of: "small") }
            return try self.answer(to: answer, holds: holds, upload)
        }
        await attempt("conditions in parts", right: "s3:GetObject") { () async throws(UploadError) -> Outcome in
            self.measured.completion.absent = try await complete(.absent)
            if made == nil { self.measured.completion.other = try await complete(.unchanged(etag: self.foreignETag)) }
            if made == nil {
                let etag = try await self.etag(of: upload)
                self.measured.completion.own = try await complete(.unchanged(etag: etag), holds: true)
            }
            return self.outcome(self.measured.completion)
        }
        await attempt("complete parts", right: "s3:PutObject", isNeeded: true) {
            () async throws(UploadError) -> Outcome in
            if made == nil {
                let reply = try self.success(try await upload.complete(parts, state, .none), upload.target.key)
                made = self.noting(reply, of: "small")
            }
            self.forget(state)
            let expected = S3Evidence.composite(md5)
            self.measured.isPartedETagMD5 = S3Evidence(made?.givenETag, expected: expected, meaning: .md5) == .proved
            let reply = try self.success(try await upload.head(), upload.target.key)
            let size = reply.header("content-length") ?? "no"
            return size == String(Self.largeBytes)
                ? (.yes, "the object has the size of both")
                : (.no, "the object has \(size) bytes instead of \(Self.largeBytes)")
        }
    }

    private func tellETags() {
        guard let small = measured.isETagMD5, let parted = measured.isPartedETagMD5 else { return }
        let detail =
            switch (small, parted) {
            case (true, true): "each is the MD5 of the sent bytes, or of the MD5s of the parts"
            case (true, false): "after one PUT; not after an upload in parts"
            case (false, true): "after an upload in parts; not after one PUT"
            case (false, false): "they are not MD5, as those of encrypted objects"
            }
        tell(SurveyFinding("ETags are MD5", small && parted ? .yes : .no, detail))
    }

    func tryAborting() async {
        await attempt("abort an upload", right: "s3:AbortMultipartUpload") { () async throws(UploadError) -> Outcome in
            let (upload, state) = try await self.begin("aborted", S3SurveyBytes(count: Self.smallBytes))
            try await upload.abort(state, isTrial: true)
            self.forget(state)
            return (.yes, "an aborted upload leaves nothing")
        }
    }

    // MARK: The bucket's own rules

    func tryRules() async {
        await attempt("life-cycle rule", right: "s3:GetLifecycleConfiguration") {
            () async throws(UploadError) -> Outcome in
            let rules: [S3LifecycleRules.Rule]
            switch try await self.ask("GetBucketLifecycleConfiguration", "lifecycle") {
            case .success(let reply):
                // Some servers do not know the question and answer another one.
                guard let document = try? reply.xml(S3LifecycleRules.self, of: "GetBucketLifecycleConfiguration") else {
                    return (
                        .unknown, "the server does not know the question; see that unfinished uploads are removed there"
                    )
                }
                rules = document.rules ?? []
            case .failure(let failure) where failure.code == "NoSuchLifecycleConfiguration": rules = []
            case .failure(let failure): throw failure.error(at: self.client.location(nil))
            }
            let days = rules.compactMap { $0.days(for: self.client.configuration.prefix) }.min()
            self.measured.removesUnfinished = days != nil
            return days.map { (.yes, "it aborts unfinished uploads after \($0) days") }
                ?? (.no, "none aborts unfinished uploads below '\(self.client.configuration.prefix)'")
        }
        guard client.configuration.object.isLocked else { return }
        await attempt("lock objects", right: "s3:GetBucketObjectLockConfiguration", isNeeded: true) {
            () async throws(UploadError) -> Outcome in
            switch try await self.ask("GetObjectLockConfiguration", "object-lock") {
            case .success(let reply):
                guard let answer = try? reply.xml(S3ObjectLock.self, of: "GetObjectLockConfiguration") else {
                    return (.unknown, "the server does not know the question; see that objects are locked there")
                }
                return answer.enabled == "Enabled"
                    ? (.yes, "the bucket has it") : (.no, "the bucket has none, and the destination wants it")
            case .failure(let failure) where failure.status == 404 || failure.isNotImplemented:
                return (.no, "the bucket has none, and the destination wants it")
            case .failure(let failure) where failure.status == 403:
                return (.unknown, "the credentials may not ask (s3:GetBucketObjectLockConfiguration)")
            case .failure(let failure): throw failure.error(at: self.client.location(nil))
            }
        }
    }

    private func ask(_ operation: String, _ query: String) async throws(UploadError) -> S3Client.Answer {
        var request = S3Request(operation: operation, method: .GET)
        request.query = [SignableRequest.Parameter(query)]
        return try await client.answer(request)
    }
}

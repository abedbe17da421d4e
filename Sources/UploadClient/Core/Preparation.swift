import Foundation
import UploadSources
import Uploads

/// Makes a job of an upload: copies the content to where the worker finds it.
struct Preparation: Sendable {
    /// Where the copies go.
    let copies: any CopyStore
    /// The directory with the idempotency keys.
    let area: StagingArea
    let client: UploadIdentifier
    let namespace: String
    /// The name of the copy, if the content is copied; nil: a new name is made.
    var copy: JobID?

    /// Stages the content and makes the job; the bytes are durable.
    func job(for upload: Upload) async throws(UploadError) -> UploadJob {
        let name: String?
        let staged: StagedFile
        var contentType = upload.contentType
        // A file that changes while it is read, or later, is newer than its job, which `enqueue-upload --changed` relies on.
        var readFrom: Date?
        switch upload.content {
        case .url(let url) where url.isFileURL:
            name = url.lastPathComponent
            readFrom = Date()
            staged = try await stage(fileAt: url.path(percentEncoded: false), upload.sha256)
        case .url(let url) where url.scheme?.lowercased() == "data":
            let content = try DataURL(url.absoluteString)
            name = nil
            contentType = contentType ?? content.mediaType
            staged = try await stage(content.data, upload.sha256)
        case .url(let url):
            let fetched = try await FetchedContent.stage(url, in: copies, as: copy, sha256: upload.sha256)
            name = url.lastPathComponent
            contentType = contentType ?? fetched.contentType
            staged = fetched.staged
        case .data(let data):
            name = nil
            staged = try await stage(data, upload.sha256)
        case .bytes(let sequence):
            name = nil
            staged = try await stage(sequence(), upload.sha256)
        case .object(let reference):
            name = Self.name(reference)
            staged = StagedFile(reference: .object(reference, seen: nil), size: 0, digests: Digests())
        }
        do throws(UploadError) {
            try await copies.synchronize()
            return try await area.registered(
                make(upload, staged, readFrom, contentType ?? Self.contentType([name, Self.name(upload.destination)])),
                copiedTo: copies)
        } catch {
            try? await copies.remove(staged.reference)
            throw error
        }
    }

    private func make(
        _ upload: Upload, _ staged: StagedFile, _ readFrom: Date?, _ contentType: String
    ) -> UploadJob {
        var job = UploadJob(
            queue: upload.queue, priority: upload.priority, source: staged.reference, destination: upload.destination,
            contentType: contentType, size: staged.size, digests: staged.digests, metadata: upload.info.jobMetadata,
            retry: upload.retry, enqueuedAt: readFrom ?? Date())
        job.properties = upload.properties
        job.ifExists = upload.ifExists
        job.verify = upload.verify
        job.batch = upload.batch
        job.notBefore = upload.notBefore
        job.expiresAt = upload.expiresAt
        job.serial = upload.serial
        job.client = client.rawValue
        if let key = upload.idempotencyKey {
            job.idempotencyKey = key
            job.id = Self.id(of: upload, key, namespace)
        } else if job.serial != nil {
            job.id = job.id.inLine(of: job.queue)
        }
        return job
    }

    /// The id that an upload has by its idempotency key; nil for an upload without a key.
    static func keyedID(of upload: Upload, namespace: String) -> JobID? {
        upload.idempotencyKey.map { id(of: upload, $0, namespace) }
    }

    private static func id(of upload: Upload, _ key: String, _ namespace: String) -> JobID {
        let id = JobID(namespace: namespace, queue: upload.queue, idempotencyKey: key)
        return upload.serial == nil ? id : id.inLine(of: upload.queue)
    }

    /// - Returns: the type that the first name with a known extension implies.
    static func contentType(_ names: [String?]) -> String {
        names.compactMap { $0.map(ContentType.of) }.first { $0 != ContentType.unknown } ?? ContentType.unknown
    }

    static func name(_ reference: DestinationReference) -> String {
        let path: String
        switch reference.redacted {
        case .named(_, let key): path = key
        case .url(let url): path = url
        }
        return path.split(separator: "/").last.map(String.init) ?? path
    }

    // MARK: Bytes

    private func stage(fileAt path: String, _ sha256: Bool) async throws(UploadError) -> StagedFile {
        // A small file travels inside the message. A file that cannot be read throws when it is staged below.
        if let handle = FileHandle(forReadingAtPath: path) {
            defer { try? handle.close() }
            if let data = try? handle.read(upToCount: SourceReference.inlineBytesMaximum + 1),
                data.count <= SourceReference.inlineBytesMaximum, Self.isRegular(path)
            {
                return Self.inline(data, sha256)
            }
        }
        return try await copies.stage(fileAt: FilePath(path), as: copy, sha256: sha256)
    }

    private func stage(_ data: Data, _ sha256: Bool) async throws(UploadError) -> StagedFile {
        if data.count <= SourceReference.inlineBytesMaximum { return Self.inline(data, sha256) }
        return try await copies.stage(DataBuffers(data: data), as: copy, sha256: sha256)
    }

    private func stage(
        _ bytes: any AsyncSequence<[UInt8], any Error> & Sendable, _ sha256: Bool
    ) async throws(UploadError) -> StagedFile {
        func open(
            _ bytes: some AsyncSequence<[UInt8], any Error> & Sendable
        ) async throws(UploadError) -> StagedFile {
            try await copies.stage(bytes, as: copy, sha256: sha256)
        }
        return try await open(bytes)
    }

    private static func inline(_ data: Data, _ sha256: Bool) -> StagedFile {
        StagedFile(
            reference: .inline(data), size: Int64(data.count), digests: Digests(of: data, sha256: sha256))
    }

    private static func isRegular(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }
}

import Foundation
import NIOHTTP1
import Uploads

/// The requests of one job's upload.
struct WebDAVUpload: Sendable {
    let client: WebDAVClient
    let target: WebDAVTarget

    var job: UploadJob { target.job }
    /// The object's URL as it may be shown.
    var location: String { client.displayURL(target.path) }

    /// The file that has arrived; nil when none has.
    func temporary() async throws(UploadError) -> WebDAVResource? {
        guard let found = try await client.look(at: target.temporaryPath), !found.isFolder else { return nil }
        return found
    }

    /// Whether a file has the job's size, as far as the server says, and no digest that contradicts the job's.
    func isWhole(_ found: WebDAVResource) -> Bool {
        found.size == job.size && !found.digests.contradicts(job.digests)
    }

    func state(_ found: WebDAVResource, isCopy: Bool = false) -> WebDAVState {
        WebDAVState(file: target.temporaryName, etag: found.etag, isCopy: isCopy)
    }

    /// The object under the job's name.
    /// - Throws: `rejected` for a folder: an overwriting MOVE would remove it with everything in it (RFC 4918, section 9.9.3).
    func object() async throws(UploadError) -> WebDAVResource? {
        guard let found = try await client.look(at: target.path) else { return nil }
        guard !found.isFolder else {
            throw UploadError(
                .rejected, "\(location) is a folder: use another key, or remove the folder", retry: .never)
        }
        return found
    }

    func stored(_ found: WebDAVResource) -> StoredObject {
        StoredObject(location: location, etag: found.etag, size: found.size, digests: found.digests)
    }

    /// Sends the whole file under its temporary name, and asks how much has arrived: some servers store a truncated body, even over an
    /// existing file (RFC 4918 does not forbid it).
    func put(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> WebDAVState {
        try await client.makeFolders(of: target.temporaryPath)
        let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
        let reply = try await client.send(
            .PUT, target.temporaryPath, headers: [("content-type", job.contentType)], body: body)
        guard (200..<300).contains(reply.status), reply.status != 207 else {
            // A missing folder: 409 by RFC 4918, section 9.7.1. nginx says 500, others 403 or 404.
            guard [403, 404, 409, 500].contains(reply.status) else {
                throw client.failure(reply, of: "PUT", at: client.url(target.temporaryPath))
            }
            client.forgetFolders()
            let error = client.failure(reply, of: "PUT", at: client.url(target.temporaryPath))
            throw reply.status == 404
                ? UploadError(error.code, error.message, retry: .afterBackoff, response: error.response) : error
        }
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse,
                "\(location) was answered \(reply.status) before it had the whole file: look at the server",
                retry: .afterBackoff, response: client.shown(reply, of: client.url(target.temporaryPath)))
        }
        let held = try await temporary()
        guard let found = held, found.size == job.size else {
            let size = held.map { $0.size.map(String.init) ?? "an unknown number" } ?? "none"
            throw UploadError(
                .invalidResponse,
                "the PUT of \(location) was answered \(reply.status), but the server says that it holds \(size) of its \(job.size) bytes: it is sent again; look at the server",
                retry: .afterBackoff, response: client.shown(reply, of: client.url(target.temporaryPath)))
        }
        guard !found.digests.contradicts(job.digests) else {
            throw UploadError(
                .checksumMismatch,
                "the file that arrived at \(location) is not the one that was sent: it is sent again",
                retry: .afterBackoff)
        }
        return state(found)
    }

    /// Has the server copy the source object to the temporary name (RFC 4918, section 9.8), with the credentials of this destination.
    /// - Returns: nil where the worker has to carry the bytes: the source is no file of this server, the server refuses, or it may take
    ///   the temporary name for another one.
    func copy(_ source: any UploadSource) async throws(UploadError) -> WebDAVState? {
        guard let found = source.sourceObject, let origin = found.origin as? WebDAVDestination,
            origin.client.isOfSameServer(as: client), !hasUnprovenName,
            let path = try? WebDAVTarget(found.job, origin.configuration).path
        else { return nil }
        try await client.makeFolders(of: target.temporaryPath)
        var headers = [("destination", client.displayURL(target.temporaryPath)), ("overwrite", "T")]
        // Not every server compares it. Before the file is moved into place, the worker asks whether the source object has changed.
        if let etag = found.object.etag, !etag.hasPrefix("W/") { headers.append(("if-match", etag)) }
        let reply = try await origin.client.send(.COPY, path, headers: headers)
        guard reply.isDone, reply.status != 207, let copy = try await temporary(), isWhole(copy) else { return nil }
        return state(copy, isCopy: true)
    }

    /// Stores the job's mark, where the server keeps properties. The mark moves with the file.
    func mark() async throws(UploadError) {
        let facts = client.facts
        guard facts.keepsProperties, facts.answersPropfind else { return }
        let reply = try await client.send(
            .PROPPATCH, target.temporaryPath, xml: WebDAVRequestBody.proppatch(JobMark(job)))
        switch reply.status {
        // Some servers report success without storing: a look at the object will show.
        case 200..<300: return
        case 405, 501: client.learn { $0.keepsProperties = false }
        case 401, 423, 429, 500...: throw client.failure(reply, of: "PROPPATCH", at: client.url(target.temporaryPath))
        default: return
        }
    }
}

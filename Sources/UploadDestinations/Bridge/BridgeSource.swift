import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Uploads

/// Gets tickets from Bridge, with its documents UploadRequest, UploadSession and UploadValidationStatus.
struct BridgeSource: TicketSource {
    let bridge: BridgeClient

    var configuration: BridgeConfiguration { bridge.configuration }
    var driver: String { BridgeDestination.driverName }
    var displayURL: String { DestinationReference.redact(configuration.url) }
    var sendsContentMD5: Bool { true }
    var needsMD5: Bool { true }
    var namesUploads: Bool { true }

    /// Checks what Bridge's UploadValidator requires: a name, and 1 to 50,000,000 bytes.
    func check(_ job: UploadJob) throws(UploadError) {
        guard case .named(_, let key) = job.destination else {
            throw UploadError(.misconfigured, "a Bridge destination is named: use NAME:KEY instead of a URL")
        }
        guard !FileName(path: key).name.isEmpty else {
            throw UploadError(.rejected, "the key '\(key)' names no file: use NAME:KEY with a name at its end")
        }
        guard job.size > 0 else {
            throw UploadError(.rejected, "the file is empty, which Bridge does not take", retry: .never)
        }
        guard job.size <= BridgeLimits.fileBytesMaximum else {
            throw UploadError(
                .rejected,
                "the file has \(job.size) bytes, Bridge takes \(BridgeLimits.fileBytesMaximum): make several of it",
                retry: .never)
        }
    }

    /// `POST /v3/uploads`. For a file that has not arrived yet, Bridge returns the same upload again: it knows the file by its MD5.
    func request(_ job: UploadJob, md5: Data?) async throws(UploadError) -> UploadTicket {
        let (reply, response) = try await bridge.call(.POST, "v3/uploads", json: .object(document(job, md5)))
        let said = "POST \(bridge.url("v3/uploads"))"
        guard (200..<300).contains(reply.status) else { throw bridge.failure(reply, response, of: said) }
        let json = try reply.json(said)
        guard let id = json?["id"]?.string, !id.isEmpty, id.utf8.count <= TicketLimits.idBytesMaximum,
            let url = json?["url"]?.string, url.utf8.count <= TicketLimits.urlBytesMaximum,
            (try? TicketEndpoint.check(url)) != nil
        else {
            // The error leaves the body out: the URL in it is a credential.
            throw UploadError(
                .invalidResponse, "\(said) was answered without an upload: check the destination's url",
                retry: .afterBackoff, response: bridge.endpoint.bare(reply))
        }
        return UploadTicket(id: id, url: url, expiresAt: json?["expires"]?.time(now: Date()))
    }

    /// `POST /v3/uploads/{id}/complete`, which may be repeated without effect. 404 means that the file is not there.
    func complete(_ id: String?, of job: UploadJob) async throws(UploadError) -> TicketVerdict? {
        let id = id ?? ""
        let (reply, response) = try await bridge.call(.POST, "v3/uploads/\(URLKey.escape(id))/complete")
        let said = "POST \(bridge.url("v3/uploads/\(id)/complete"))"
        guard reply.status != 404 else { return .absent(absent(said, response)) }
        guard (200..<300).contains(reply.status) else { throw bridge.failure(reply, response, of: said) }
        let verdict = try verdict(reply, response, of: said)
        guard case .open = verdict else { return verdict }
        // Bridge has just accepted the completion, even if the status does not show it yet.
        return configuration.waitsForValidation ? pending(response) : .done(response)
    }

    /// `GET /v3/uploadstatuses/{id}`
    func verdict(of id: String?, _ job: UploadJob) async throws(UploadError) -> TicketVerdict? {
        let id = id ?? ""
        let (reply, response) = try await bridge.call(.GET, "v3/uploadstatuses/\(URLKey.escape(id))")
        let said = "GET \(bridge.url("v3/uploadstatuses/\(id)"))"
        guard reply.status != 404 else { return .absent(absent(said, response)) }
        guard (200..<300).contains(reply.status) else { throw bridge.failure(reply, response, of: said) }
        return try verdict(reply, response, of: said)
    }

    func location(_ sent: TicketState) -> String { bridge.url("v3/uploads/\(sent.id ?? "")") }

    private func document(_ job: UploadJob, _ md5: Data?) -> [String: JSONValue] {
        guard case .named(_, let key) = job.destination else { return [:] }
        var document: [String: JSONValue] = [
            "name": .string(FileName(path: key).name), "contentLength": .integer(job.size),
            "contentType": .string(job.contentType), "contentMd5": .string((md5 ?? Data()).base64EncodedString()),
            "encrypted": .bool(configuration.isEncrypted), "zipped": .bool(configuration.isZipped),
            "type": "UploadRequest",
        ]
        if !job.metadata.isEmpty { document["metadata"] = .object(job.metadata.mapValues { .string($0) }) }
        return document
    }

    /// The document `UploadValidationStatus`.
    private func verdict(
        _ reply: HTTPReply, _ response: ServerResponse, of said: String
    ) throws(UploadError) -> TicketVerdict {
        let json = try reply.json(said)
        switch json?["status"]?.string {
        // A duplicate is a file that the participant has sent within a week: Bridge has it.
        case "succeeded", "duplicate": return .done(response)
        case "validation_in_progress": return configuration.waitsForValidation ? pending(response) : .done(response)
        case "validation_failed": return .refused(invalid(json?["messageList"], response))
        case "requested", "unknown": return .open
        // A status of a newer Bridge version that this driver does not know: the upload is not known to have ended.
        case .some: return configuration.waitsForValidation ? pending(response) : .open
        case nil:
            throw UploadError(
                .invalidResponse, "\(said) was answered without a status: check the destination's url",
                retry: .afterBackoff, response: response)
        }
    }

    private func pending(_ response: ServerResponse) -> TicketVerdict {
        .pending(response, askAgainSeconds: configuration.askAgainSeconds)
    }

    private func absent(_ said: String, _ response: ServerResponse) -> UploadError {
        UploadError(
            .sessionExpired, "\(said) was answered 404: the file is not there, and is sent again", response: response)
    }

    private func invalid(_ messages: JSONValue?, _ response: ServerResponse) -> UploadError {
        var words: [String] = []
        if case .array(let list)? = messages { words = list.compactMap(\.string) }
        let said = words.prefix(5).joined(separator: "; ").prefix(1000)
        return UploadError(
            .rejected,
            "Bridge does not find the file valid\(said.isEmpty ? "" : " (\(said))"): correct it and enqueue it anew",
            retry: .never, response: response)
    }
}

import Foundation
import NIOHTTP1
import Uploads

extension WebDAVClient {
    /// The resource under a path: by PROPFIND (RFC 4918, section 9.1), or by HEAD where the server has no PROPFIND.
    /// - Returns: nil when there is none.
    func look(at path: String) async throws(UploadError) -> WebDAVResource? {
        if facts.answersPropfind {
            let reply = try await send(
                .PROPFIND, path, headers: [("depth", "0")], xml: WebDAVRequestBody.propfind)
            switch reply.status {
            case 207:
                let responses = try reply.multistatus(of: displayURL(path)).responses
                guard !responses.isEmpty else { return nil }
                guard let response = responses.first(where: { $0.isAbout(path) }) else {
                    throw UploadError(
                        .invalidResponse,
                        "PROPFIND \(displayURL(path)) was answered with another resource (\(responses.first?.hrefs.first?.prefix(200) ?? "")): "
                            + "look at the server, and at proxies before it", retry: .afterBackoff)
                }
                return WebDAVResource(response)
            case 404, 410: return nil
            // The server has no PROPFIND, or forbids it for these credentials (403).
            case 405, 501: learn { $0.answersPropfind = false }
            case 403: break
            default: throw failure(reply, of: "PROPFIND", at: url(path))
            }
        }
        return try await head(path)
    }

    private func head(_ path: String) async throws(UploadError) -> WebDAVResource? {
        // A compressed answer would have another size.
        let reply = try await send(.HEAD, path, headers: [("accept-encoding", "identity")])
        switch reply.status {
        case 200..<300: return WebDAVResource(reply)
        case 300..<400 where isFolder(reply, path): return WebDAVResource(reply)
        case 404, 410: return nil
        default: throw failure(reply, of: "HEAD", at: url(path))
        }
    }

    /// Servers redirect a folder's name to the same name with a slash at its end.
    private func isFolder(_ reply: HTTPReply, _ path: String) -> Bool {
        guard let location = reply.header("location"), location.hasSuffix("/"),
            let last = path.split(separator: "/").last
        else { return false }
        return location.split(separator: "/").last?.removingPercentEncoding == last.removingPercentEncoding
    }

    /// The resources directly in a folder, and the folder itself. A missing folder has none.
    /// - Throws: `rejected` when the server cannot list.
    func list(_ folder: String) async throws(UploadError) -> [WebDAVResource] {
        try await responses(in: folder).compactMap(WebDAVResource.init)
    }

    func responses(in folder: String) async throws(UploadError) -> [WebDAVMultistatus.Response] {
        let reply = try await send(
            .PROPFIND, folder.isEmpty ? "" : folder + "/", headers: [("depth", "1")], xml: WebDAVRequestBody.propfind,
            keptBytesMaximum: WebDAVLimits.listBytesMaximum)
        switch reply.status {
        case 207: return try reply.multistatus(of: displayURL(folder)).responses
        case 404, 410: return []
        case 405, 501:
            throw UploadError(
                .rejected,
                "\(displayURL(folder)) cannot be listed, for the server has no PROPFIND",
                response: shown(reply, of: url(folder)))
        default: throw failure(reply, of: "PROPFIND", at: url(folder))
        }
    }

    /// Removes a resource (RFC 4918, section 9.6). A missing one is no error.
    func remove(_ path: String) async throws(UploadError) {
        let reply = try await send(.DELETE, path)
        switch reply.status {
        case 207:
            guard let status = try reply.multistatus(of: displayURL(path)).failure, status != 404 else { return }
            throw failure(reply, of: "DELETE", at: url(path), status: status)
        case 200..<300, 404, 410: return
        default: throw failure(reply, of: "DELETE", at: url(path))
        }
    }
}

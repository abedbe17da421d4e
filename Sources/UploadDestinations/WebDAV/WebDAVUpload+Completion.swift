import Foundation
import NIOHTTP1
import Uploads

// From the file that has arrived to the object.
extension WebDAVUpload {
    /// Moves the file into place and looks at what lies there then. Repeating it is safe: a file that is not there any more is never
    /// moved over anything.
    /// - Throws: `sessionExpired` when the file is gone, for a lost answer perhaps because it is in its place: probe.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await mark()
        let reply = try await place(condition)
        guard let found = try await object(), isWhole(found) else {
            throw UploadError(
                .invalidResponse,
                "\(location) is not what was moved there: somebody else writes to it, or the server failed; it is looked at again",
                retry: .afterBackoff)
        }
        if found.mark == nil { client.learn { $0.keepsProperties = false } }
        var object = stored(found)
        object.digests = job.digests
        return CompletedUpload(object, response: client.shown(reply, of: client.url(target.path)))
    }

    /// First as if nothing lay there, which is the usual; what lies there is looked at before it is replaced.
    private func place(_ condition: WriteCondition) async throws(UploadError) -> HTTPReply {
        try await proveNames()
        if case .unchanged(let etag) = condition { return try await replace(seen: etag) }
        var reply = try await move(overwriting: false)
        if [403, 404, 409, 500].contains(reply.status) {
            // The file is gone, or its folder is (RFC 4918, section 9.9.4: 409; others say 403, 404 or 500).
            try await checkIsThere()
            client.forgetFolders()
            try await client.makeFolders(of: target.path)
            reply = try await move(overwriting: false)
        }
        if reply.isDone { return reply }
        guard reply.status == 412, condition == .none else {
            // nginx says 409 of a folder.
            if reply.status == 409 { _ = try await object() }
            throw failure(reply)
        }
        return try await replace(seen: nil)
    }

    /// Replaces what was seen at the very name, and nothing else: a server may take the name for another one, and what lies there
    /// would go, a folder with everything in it.
    /// - Parameter seen: the ETag that must still be there; nil: whatever is.
    private func replace(seen: String?) async throws(UploadError) -> HTTPReply {
        let found = try await object()
        if let seen {
            guard let found, WebDAVResource.isSame(found.etag, seen) else { throw changed }
        }
        guard found != nil else {
            // It was removed in between; or it never lay there.
            let reply = try await move(overwriting: false)
            if reply.isDone { return reply }
            throw reply.status == 412 ? nameTakenForAnother : failure(reply)
        }
        // Some servers remove what lies there before they look for what is to come.
        try await checkIsThere()
        guard let seen, let etag = found?.etag, client.facts.comparesTags else {
            let reply = try await move(overwriting: true)
            guard reply.isDone else { throw failure(reply) }
            return reply
        }
        let reply = try await move(overwriting: true, ifTagged: etag)
        if reply.isDone { return reply }
        guard reply.status == 412 else { throw failure(reply) }
        // Either it has changed in between, or the server says that of everything.
        guard let again = try await object(), WebDAVResource.isSame(again.etag, seen) else { throw changed }
        client.learn { $0.comparesTags = false }
        try await checkIsThere()
        let last = try await move(overwriting: true)
        guard last.isDone else { throw failure(last) }
        return last
    }

    func checkIsThere() async throws(UploadError) {
        guard try await temporary() == nil else { return }
        throw UploadError(.sessionExpired, "the unfinished file of \(location) is gone: it is looked for in its place")
    }

    private var changed: UploadError {
        UploadError(.preconditionFailed, "\(location) has changed since it was looked at", retry: .never)
    }

    /// RFC 4918, section 9.9.
    /// - Parameter ifTagged: of what must lie there (section 10.4, a tagged list).
    private func move(overwriting: Bool, ifTagged etag: String? = nil) async throws(UploadError) -> HTTPReply {
        try await move(target.temporaryPath, to: target.path, overwriting: overwriting, ifTagged: etag)
    }

    func move(
        _ path: String, to place: String, overwriting: Bool, ifTagged etag: String? = nil
    ) async throws(UploadError) -> HTTPReply {
        // A whole URL (section 10.3): not every server takes a path.
        let destination = client.displayURL(place)
        var headers = [("destination", destination), ("overwrite", overwriting ? "T" : "F")]
        if let etag { headers.append(("if", "<\(destination)> ([\(etag)])")) }
        let reply = try await client.send(.MOVE, path, headers: headers)
        if reply.status == 207, let status = try reply.multistatus(of: location).failure {
            throw client.failure(reply, of: "MOVE", at: client.url(target.path), status: status)
        }
        return reply
    }

    private func failure(_ reply: HTTPReply) -> UploadError {
        client.failure(reply, of: "MOVE", at: client.url(target.path))
    }
}

extension HTTPReply {
    var isDone: Bool { (200..<300).contains(status) }
}

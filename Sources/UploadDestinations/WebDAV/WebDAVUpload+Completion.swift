import Foundation
import NIOHTTP1
import Uploads

// Turns the file that has arrived into the object.
extension WebDAVUpload {
    /// Moves the file into place and looks at the result. Repeating this is safe: if the file is gone, nothing is moved or overwritten.
    /// - Throws: `sessionExpired` when the file is gone. It may already be in its place, if the answer of an earlier MOVE was lost: probe.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await mark()
        let reply = try await place(condition)
        guard let found = try await object(), isWhole(found) else {
            throw UploadError(
                .invalidResponse,
                "\(location) is not the file that was moved there: another client writes to it, or the server failed; it is looked at again",
                retry: .afterBackoff)
        }
        if found.mark == nil { client.learn { $0.keepsProperties = false } }
        var object = stored(found)
        object.digests = job.digests
        return CompletedUpload(object, response: client.shown(reply, of: client.url(target.path)))
    }

    /// First moves the file without overwriting, the usual case. An existing object is looked at before it is replaced.
    private func place(_ condition: WriteCondition) async throws(UploadError) -> HTTPReply {
        try await proveNames()
        if case .unchanged(let etag) = condition { return try await replace(seen: etag) }
        var reply = try await move(overwriting: false)
        if [403, 404, 409, 500].contains(reply.status) {
            // The file or its folder is gone (RFC 4918, section 9.9.4: 409; other servers say 403, 404 or 500).
            try await checkIsThere()
            client.forgetFolders()
            try await client.makeFolders(of: target.path)
            reply = try await move(overwriting: false)
        }
        if reply.isDone { return reply }
        guard reply.status == 412, condition == .none else {
            // nginx answers 409 where a folder has the name.
            if reply.status == 409 { _ = try await object() }
            throw failure(reply)
        }
        return try await replace(seen: nil)
    }

    /// Replaces only an object that was seen under exactly this name: if the server treats the name as another one,
    /// overwriting would remove another object, even a folder with everything in it.
    /// - Parameter seen: the ETag that the object must still have; nil for any object.
    private func replace(seen: String?) async throws(UploadError) -> HTTPReply {
        let found = try await object()
        if let seen {
            guard let found, WebDAVResource.isSame(found.etag, seen) else { throw changed }
        }
        guard found != nil else {
            // The object was removed in between, or it never existed and the server took the name for another one.
            let reply = try await move(overwriting: false)
            if reply.isDone { return reply }
            throw reply.status == 412 ? nameTakenForAnother : failure(reply)
        }
        // Some servers remove the old object before they look for the new file.
        try await checkIsThere()
        guard let seen, let etag = found?.etag, client.facts.comparesTags else {
            let reply = try await move(overwriting: true)
            guard reply.isDone else { throw failure(reply) }
            return reply
        }
        let reply = try await move(overwriting: true, ifTagged: etag)
        if reply.isDone { return reply }
        guard reply.status == 412 else { throw failure(reply) }
        // Either the object has changed in between, or the server refuses every ETag.
        guard let again = try await object(), WebDAVResource.isSame(again.etag, seen) else { throw changed }
        client.learn { $0.comparesTags = false }
        try await checkIsThere()
        let last = try await move(overwriting: true)
        guard last.isDone else { throw failure(last) }
        return last
    }

    func checkIsThere() async throws(UploadError) {
        guard try await temporary() == nil else { return }
        throw UploadError(
            .sessionExpired, "the unfinished file of \(location) is gone: the worker looks for it in its place")
    }

    private var changed: UploadError {
        UploadError(.preconditionFailed, "\(location) has changed since it was looked at", retry: .never)
    }

    /// Moves the unfinished file to the object's name (RFC 4918, section 9.9).
    /// - Parameter ifTagged: the ETag that the replaced object must have (section 10.4, a tagged list).
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

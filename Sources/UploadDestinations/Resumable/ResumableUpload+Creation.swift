import Foundation
import NIOHTTP1
import Uploads

/// Makes an upload ("Careful Upload Creation") by an empty request that announces more bytes. This client does not see
/// the interim answer that would give an upload's URL earlier, so a request with bytes could not be resumed.
extension ResumableUpload {
    private enum Attempt: Sendable {
        case made(ResumableUpload, ResumableUploadLimit?)
        /// The server names another version.
        case other(ResumableInterop)
        /// As far as known, the server does not take this version.
        case refused(HTTPReply)
    }

    /// - Returns: nil where the server makes no upload: the file goes up in one request.
    /// - Throws: `rejected` for a server that does not speak the configured version, and for a file beyond its limits.
    static func create(
        _ target: ResumableTarget, _ versions: [ResumableInterop], by client: ResumableClient
    ) async throws(UploadError) -> (upload: ResumableUpload, limit: ResumableUploadLimit?)? {
        var waiting = versions
        var tried: Set<ResumableInterop> = []
        var last: HTTPReply?
        while !waiting.isEmpty {
            let version = waiting.removeFirst()
            guard tried.insert(version).inserted else { continue }
            switch try await attempt(target, version, by: client) {
            case .made(let upload, let limit): return (upload, limit)
            case .other(let told):
                if client.configuration.interop == nil { waiting.insert(told, at: 0) }
            case .refused(let reply): last = reply
            }
        }
        guard let interop = client.configuration.interop else { return nil }
        throw UploadError(
            .rejected,
            "\(target.displayURL) makes no resumable upload of version \(interop.rawValue): correct the destination's interop, or leave "
                + "it out", response: last.map { client.shown($0, of: target.url) })
    }

    private static func attempt(
        _ target: ResumableTarget, _ version: ResumableInterop, by client: ResumableClient
    ) async throws(UploadError) -> Attempt {
        let reply = try await client.send(
            target.method, target.url, version, headers: target.creation(version, isWhole: false))
        guard (200..<300).contains(reply.status) else {
            if let told = reply.uploadInterop, told != version { return .other(told) }
            if ResumableErrorTable.mayBeOfVersion(reply.status) { return .refused(reply) }
            throw client.failure(reply, of: target.method.rawValue, at: target.url)
        }
        guard reply.isUploadComplete != true, let location = reply.header("location") else { return .refused(reply) }
        let url = try client.address.upload(at: location, answering: target.url)
        let upload = ResumableUpload(client: client, target: target, url: url, interop: version)
        // From draft -06 on a `Location` is enough; but a server without resumable uploads uses it to name the empty object.
        if reply.speaksOfUploads || client.isProved(version) { return .made(upload, ResumableUploadLimit(reply)) }
        let said = try await client.send(.HEAD, url, version)
        guard (200..<300).contains(said.status), said.uploadOffset != nil else { return .refused(reply) }
        client.prove(version)
        return .made(upload, ResumableUploadLimit(said))
    }
}

extension ResumableTarget {
    /// - Parameter isWhole: whether the request carries the whole file, or nothing of it.
    func creation(_ version: ResumableInterop, isWhole: Bool) -> [(name: String, value: String)] {
        var headers = headers + [version.completeness(isWhole)]
        if version.hasLength { headers.append(("upload-length", String(job.size))) }
        return headers
    }
}

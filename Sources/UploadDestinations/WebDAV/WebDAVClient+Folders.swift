import NIOHTTP1
import Synchronization
import Uploads

extension WebDAVClient {
    /// Makes the folders of a path that are not known to exist.
    ///
    /// MKCOL makes one folder at a time (RFC 4918, section 9.3), so the client tries the deepest first: mostly it exists, or it alone is missing.
    func makeFolders(of path: String) async throws(UploadError) {
        let folders = path.split(separator: "/").dropLast().map(String.init)
        let known = facts.folders
        var depth = folders.count
        while depth > 0, !known.contains(folders[..<depth].joined(separator: "/")) {
            guard try await make(folders[..<depth].joined(separator: "/")) else {
                depth -= 1
                continue
            }
            break
        }
        if depth == 0, !folders.isEmpty {
            guard try await look(at: "") != nil else {
                throw UploadError(
                    .destinationNotFound,
                    "\(displayURL("")) is not there: make that folder, or correct the destination's url")
            }
        }
        while depth < folders.count {
            depth += 1
            let folder = folders[..<depth].joined(separator: "/")
            // The first call may have joined a request that began before the parent folder was made.
            if try await make(folder) { continue }
            guard try await make(folder) else {
                throw UploadError(
                    .rejected, "the folder \(displayURL(folder)) cannot be made: look for a file with its name",
                    retry: .afterBackoff)
            }
        }
    }

    /// Forgets the known folders, because another client may have removed one: the next job makes sure again.
    func forgetFolders() { learn { $0.folders = [] } }

    private func learn(_ folder: String) {
        learn { known in
            if known.folders.count >= WebDAVLimits.foldersMaximum { known.folders = [] }
            known.folders.insert(folder)
        }
    }

    private func rest(_ seconds: Double) async throws(UploadError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw UploadError(.interrupted, "waiting for \(displayURL("")) was interrupted")
        }
    }

    /// Makes a folder by one request for all jobs of this worker that want it at that moment. A cancelled job must not cancel the request
    /// of the others.
    /// - Returns: false when the parent folder is missing.
    private func make(_ folder: String) async throws(UploadError) -> Bool {
        guard !facts.folders.contains(folder) else { return true }
        let task = making.withLock { making in
            if let task = making[folder] { return task }
            let task = Task<Bool, any Error> {
                defer { self.making.withLock { $0[folder] = nil } }
                return try await self.ask(for: folder)
            }
            making[folder] = task
            return task
        }
        do {
            return try await task.value
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.interrupted, "making \(displayURL(folder)) was interrupted")
        }
    }

    private func ask(for folder: String) async throws(UploadError) -> Bool {
        var reply = try await send(.MKCOL, folder + "/")
        // Some servers fail while another client makes the same folder: they answer 500, or 423 for that time.
        var pauses = configuration.busyPauseSeconds[...]
        while [423, 500].contains(reply.status), let pause = pauses.popFirst() {
            try await rest(.random(in: 0...pause))
            reply = try await send(.MKCOL, folder + "/")
        }
        switch reply.status {
        // 405: the folder exists (section 9.3.1), or the server makes folders by itself. 301: the folder exists, and the server redirects
        // its name. 403, 501: the folder may exist, and only making it is forbidden; the PUT into it will show.
        case 200..<300, 301, 403, 405, 501:
            learn(folder)
            return true
        case 404, 409, 410: return false
        default: throw failure(reply, of: "MKCOL", at: url(folder))
        }
    }
}

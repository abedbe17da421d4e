import NIOHTTP1
import Synchronization
import Uploads

extension WebDAVClient {
    /// Makes the folders that a path lies in, as far as they are not known to be there.
    ///
    /// MKCOL makes one at a time (RFC 4918, section 9.3), so the deepest is tried first: mostly it is there, or only it is missing.
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
            // The first answer may be one to a request of before the folder around it was made.
            if try await make(folder) { continue }
            guard try await make(folder) else {
                throw UploadError(
                    .rejected, "the folder \(displayURL(folder)) cannot be made: look at what lies there",
                    retry: .afterBackoff)
            }
        }
    }

    /// For the next time to look: somebody may have removed them.
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

    /// Asked once for all jobs of this worker that want the folder at that moment: one that is called off must not take it from the
    /// others.
    /// - Returns: false when the folder that it lies in is missing.
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
        // Some servers stumble over others that make the same folder at that moment: by 500, or 423 as long as they do.
        var pauses = configuration.busyPauseSeconds[...]
        while [423, 500].contains(reply.status), let pause = pauses.popFirst() {
            try await rest(.random(in: 0...pause))
            reply = try await send(.MKCOL, folder + "/")
        }
        switch reply.status {
        // 405: it is there (section 9.3.1), or the server makes folders by itself. 301: it is there, says one that redirects folders.
        // 403, 501: perhaps it is there, and only making it is not for these credentials; what is put into it will tell.
        case 200..<300, 301, 403, 405, 501:
            learn(folder)
            return true
        case 404, 409, 410: return false
        default: throw failure(reply, of: "MKCOL", at: url(folder))
        }
    }
}

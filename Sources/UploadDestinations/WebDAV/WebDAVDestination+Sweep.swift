public import Foundation
public import Uploads

/// Finds unfinished files by listing their folder. Their names contain the job's id.
extension WebDAVDestination: SweepableDestination {
    /// Whether there is a folder for unfinished files. Otherwise they are beside their targets, in any folder.
    public var canBeSwept: Bool { configuration.temporaryFolder != nil }

    public func unfinished(startedBefore date: Date) async throws(UploadError) -> [UnfinishedUpload] {
        var found: [UnfinishedUpload] = []
        for file in try await client.list(folder()) where !file.isFolder {
            // A file without a time could be new.
            guard let name = file.name, let unfinished = WebDAVTarget.unfinished(name),
                let startedAt = file.modifiedAt, startedAt < date
            else { continue }
            found.append(
                UnfinishedUpload(
                    key: unfinished.name, sessionID: name, startedAt: startedAt, job: unfinished.job, bytes: file.size))
        }
        return Array(found.sorted { $0.startedAt < $1.startedAt }.prefix(UnfinishedUpload.countMaximum))
    }

    public func sessionID(of state: UploadState) -> String? { WebDAVState(state)?.file }

    public func discard(_ upload: UnfinishedUpload) async throws(UploadError) {
        guard WebDAVTarget.unfinished(upload.sessionID) != nil else { return }
        try await client.remove(folder() + "/" + URLKey.escape(upload.sessionID))
    }

    private func folder() throws(UploadError) -> String {
        guard let folder = configuration.temporaryFolder else {
            throw UploadError(
                .misconfigured,
                "unfinished files at \(client.displayURL("")) lie beside their targets, where they are not looked for: give the "
                    + "destination a temporaryFolder")
        }
        return try URLKey.path(folder)
    }
}

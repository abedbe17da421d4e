import Foundation
import NIOHTTP1
import Uploads

// Finds out whether the server takes the `Destination` of a MOVE literally. Some servers cut it at `?` or `;`, although these are
// escaped: the file goes to another place and overwrites the file there.
extension WebDAVUpload {
    /// Moves the unfinished file to a name with the same characters and back, once for each character and client. Nothing is overwritten.
    /// Wherever the server cuts the name, the result is still recognizable as an unfinished file of this job.
    /// - Throws: `rejected` when the server takes such a name for another one.
    func proveNames() async throws(UploadError) {
        guard hasUnprovenName else { return }
        try await checkIsThere()
        let whole = target.trialPaths.whole
        var there = try await move(target.temporaryPath, to: whole, overwriting: false)
        if there.status == 412 {
            // A worker may have died, or an answer may have been lost, between this step and the way back: the file of
            // that attempt is still there.
            try await removeTrials()
            there = try await move(target.temporaryPath, to: whole, overwriting: false)
        }
        guard there.isDone else {
            throw there.status == 412
                ? nameTakenForAnother : client.failure(there, of: "MOVE", at: client.url(target.temporaryPath))
        }
        guard try await client.look(at: whole) != nil else {
            try await removeTrials()
            throw nameTakenForAnother
        }
        let back = try await move(whole, to: target.temporaryPath, overwriting: false)
        guard back.isDone else { throw client.failure(back, of: "MOVE", at: client.url(whole)) }
        client.learn { $0.provenCharacters.formUnion(target.unusualCharacters) }
    }

    /// Whether a trial may be necessary, so that an earlier trial may have left a file.
    var hasUnprovenName: Bool { !target.unusualCharacters.isSubset(of: client.facts.provenCharacters) }

    /// Removes files that trials of this job have left.
    func removeTrials() async throws(UploadError) {
        let (whole, others) = target.trialPaths
        for path in [whole] + others.sorted() { try await client.remove(path) }
    }

    var nameTakenForAnother: UploadError {
        UploadError(
            .rejected,
            "the server takes the name of \(location) for another one when a file is moved there: use a key of letters, digits and .-_~",
            retry: .never)
    }
}

import Foundation
import NIOHTTP1
import Uploads

// Whether the server takes the `Destination` of a MOVE for the very name that it says. Some cut it at `?` or `;`, though these are
// escaped there: the file goes to another place, and overwrites what lies there.
extension WebDAVUpload {
    /// Moves the unfinished file to a name with the same characters and back, once for each of them and each client. Nothing is
    /// overwritten. Wherever the server cuts the name, what it makes of it is known for an unfinished file of this job.
    /// - Throws: `rejected` when the server takes such a name for another one.
    func proveNames() async throws(UploadError) {
        let characters = target.unusualCharacters
        guard !characters.isSubset(of: client.facts.provenCharacters) else { return }
        try await checkIsThere()
        let (whole, cut) = target.trialPaths
        let there = try await move(target.temporaryPath, to: whole, overwriting: false)
        guard there.isDone else {
            throw there.status == 412
                ? nameTakenForAnother : client.failure(there, of: "MOVE", at: client.url(target.temporaryPath))
        }
        guard try await client.look(at: whole) != nil else {
            for path in cut { try await client.remove(path) }
            throw nameTakenForAnother
        }
        let back = try await move(whole, to: target.temporaryPath, overwriting: false)
        guard back.isDone else { throw client.failure(back, of: "MOVE", at: client.url(whole)) }
        client.learn { $0.provenCharacters.formUnion(characters) }
    }

    var nameTakenForAnother: UploadError {
        UploadError(
            .rejected,
            "the server takes the name of \(location) for another one when a file is moved there: use a key of letters, digits and .-_~",
            retry: .never)
    }
}

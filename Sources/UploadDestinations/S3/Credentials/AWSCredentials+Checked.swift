import Foundation
import Uploads

extension AWSCredentials {
    /// Credentials from a source, without the white space around them.
    /// - Parameter place: the source, as a message names it.
    /// - Returns: nil when there is neither an id nor a secret.
    /// - Throws: `misconfigured` when one of them is missing, or contains characters that a header cannot carry.
    static func checked(
        id: String?, secret: String?, token: String?, expiresAt: Date? = nil, from place: String,
        retry: UploadError.Retry = .never
    ) throws(UploadError) -> AWSCredentials? {
        func given(_ text: String?) -> String? {
            text.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let fields = [given(id), given(secret), given(token)]
        guard let id = fields[0], let secret = fields[1] else {
            if fields[0] == nil, fields[1] == nil { return nil }
            let missing = fields[0] == nil ? "access key id" : "secret access key"
            throw UploadError(
                .misconfigured, "\(place): the \(missing) is missing: give both halves of the key, or none",
                retry: retry)
        }
        for text in fields.compactMap({ $0 }) where !text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw UploadError(
                .misconfigured,
                "\(place): an access key holds white space or control characters: check how it was copied", retry: retry
            )
        }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: fields[2], expiresAt: expiresAt)
    }
}

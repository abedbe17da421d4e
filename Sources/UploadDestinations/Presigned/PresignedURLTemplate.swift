import Foundation
import Uploads

/// The URL of a call about an upload. The upload's id is escaped, because it comes from a server and travels in messages.
struct PresignedURLTemplate: Sendable {
    private let template: TextTemplate
    let needsID: Bool

    /// - Throws: `misconfigured` for an invalid URL, or one with other placeholders.
    init(_ text: String) throws(UploadError) {
        template = try TextTemplate(text)
        for name in template.placeholders where !["id", "job"].contains(name) {
            throw UploadError(
                .misconfigured,
                "\(DestinationReference.redact(text)): there is no placeholder {\(name)} here; use {id} or {job}")
        }
        needsID = template.placeholders.contains("id")
        try TicketEndpoint.check(template.filled { _ in "x" } ?? "")
    }

    /// - Throws: `invalidResponse` when the URL needs an id and the endpoint gave none.
    func url(_ id: String?, _ job: UploadJob) throws(UploadError) -> String {
        let url = template.filled { name in name == "id" ? id.map(URLKey.escape) : job.id.rawValue }
        guard let url else {
            throw UploadError(
                .invalidResponse, "the endpoint gave no id for the upload: correct the destination's answer.id",
                retry: .never)
        }
        return url
    }
}

import Foundation
import NIOHTTP1
import Uploads

/// The limits that a server sets for an upload: `Upload-Limit` (draft -11, "Limits"). In bytes, except the age.
struct ResumableUploadLimit: Hashable, Sendable {
    var sizeMaximum: Int64?
    var sizeMinimum: Int64?
    /// The most bytes of one PATCH.
    var appendMaximum: Int64?
    /// Fewest bytes of one PATCH that does not end the upload.
    var appendMinimum: Int64?
    /// Seconds from this answer on for which the server keeps the upload.
    var ageSeconds: Int64?
    /// Whether the answer names the age as drafts up to -05 do.
    var isOfOldDraft = false

    init() {}

    /// - Returns: nil when the header is missing, or has "a known key with a value of unexpected type".
    init?(_ reply: HTTPReply) {
        let lines = reply.headers[canonicalForm: "upload-limit"].map(String.init)
        guard !lines.isEmpty, let members = StructuredField.dictionary(lines) else { return nil }
        var values: [String: Int64] = [:]
        for key in ["max-size", "min-size", "max-append-size", "min-append-size", "max-age", "expires"] {
            guard let member = members[key] else { continue }
            guard case .integer(let value) = member, value >= 0 else { return nil }
            values[key] = value
        }
        sizeMaximum = values["max-size"]
        sizeMinimum = values["min-size"]
        appendMaximum = values["max-append-size"].flatMap { $0 > 0 ? $0 : nil }
        appendMinimum = values["min-append-size"]
        ageSeconds = values["max-age"] ?? values["expires"]
        isOfOldDraft = values["max-age"] == nil && values["expires"] != nil
    }

    /// Bytes of a part: the configured number, within the limits; whole blocks where the limits allow them.
    func partBytes(_ preferred: Int64) -> Int64 {
        var bytes = max(preferred, appendMinimum ?? 1)
        if let appendMaximum, appendMaximum < bytes {
            let blocks = appendMaximum / PartPlan.blockBytes * PartPlan.blockBytes
            bytes = blocks >= max(1, appendMinimum ?? 1) ? blocks : appendMaximum
        }
        return bytes
    }
}

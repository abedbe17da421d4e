import Foundation
import NIOHTTP1
import Uploads

/// What is known of a server before an upload is begun there.
enum ResumableSupport: Hashable, Sendable {
    /// Versions to try, the likeliest first, with what it says of limits.
    case versions([ResumableInterop], ResumableUploadLimit?)
    /// It takes plain uploads only, as far as it tells.
    case none

    /// The versions that a server is asked for, one after the other: some refuse one that they do not know, and tell no other.
    static let asked: [ResumableInterop] = [.v8, .v6, .v5, .v3]

    /// From the answer to OPTIONS with a version. Version 8 announces itself by `Accept-Patch`, 6 (draft -05) to 8 by `Upload-Limit`, whose
    /// names differ; tusd sends it in older versions, too. swift-nio-extras refuses a version that it does not know and tells its own.
    init(_ reply: HTTPReply, asked: ResumableInterop) {
        let limit = ResumableUploadLimit(reply)
        let types = reply.headers[canonicalForm: "accept-patch"].map {
            $0.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        }
        if let told = reply.uploadInterop {
            self = .versions([told], limit)
        } else if !(200..<300).contains(reply.status) {
            self = .none
        } else if asked != .v8 {
            self = limit == nil ? .none : .versions([asked], limit)
        } else if types.contains("application/partial-upload") {
            self = .versions([.v8, .v7, .v6], limit)
        } else if let limit {
            self = .versions(limit.isOfOldDraft ? [.v6] : [.v8, .v7, .v6], limit)
        } else {
            self = .none
        }
    }
}

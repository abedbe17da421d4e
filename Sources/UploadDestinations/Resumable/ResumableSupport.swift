import Foundation
import NIOHTTP1
import Uploads

/// What the client knows about a server before it begins an upload there.
enum ResumableSupport: Hashable, Sendable {
    /// Versions to try, the likeliest first, with the limits that the server announced.
    case versions([ResumableInterop], ResumableUploadLimit?)
    /// As far as the server says, it takes plain uploads only.
    case none

    /// The versions with which the client asks, one after the other: some servers refuse an unknown version and do not name another.
    static let asked: [ResumableInterop] = [.v8, .v6, .v5, .v3]

    /// Reads the answer to OPTIONS with a version. Version 8 announces itself by `Accept-Patch`, 6 (draft -05) to 8 by `Upload-Limit`,
    /// whose names differ; tusd sends it in older versions, too. swift-nio-extras refuses an unknown version and names its own.
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

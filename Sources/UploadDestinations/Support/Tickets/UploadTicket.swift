import Foundation

/// Permission to put one file to one URL for a limited time. The URL is a credential: its query is in no state, no event and no error.
struct UploadTicket: Sendable {
    /// The id by which later calls name the upload; nil where there are no such calls. Not a secret: it travels in states.
    var id: String?
    var url: String
    /// The end of the permission, as far as known. Clocks differ, so a fresh ticket is used once in any case.
    var expiresAt: Date?
    /// Headers to send with the bytes, in place of the driver's headers of the same name.
    var headers: [String: String]

    init(id: String? = nil, url: String, expiresAt: Date? = nil, headers: [String: String] = [:]) {
        self.id = id
        self.url = url
        self.expiresAt = expiresAt
        self.headers = headers
    }

    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

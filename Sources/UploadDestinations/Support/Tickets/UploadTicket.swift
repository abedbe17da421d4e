import Foundation

/// Leave to put one file to one URL for a while. The URL is a credential: its query is in no state, no event and no error.
struct UploadTicket: Sendable {
    /// What later calls name it by; nil where there are none. Not a secret: it travels in states.
    var id: String?
    var url: String
    /// As far as it is known. Clocks differ: what was just given is used once, whatever this says.
    var expiresAt: Date?
    /// Sent with the bytes, in place of the usual ones of the same name.
    var headers: [String: String]

    init(id: String? = nil, url: String, expiresAt: Date? = nil, headers: [String: String] = [:]) {
        self.id = id
        self.url = url
        self.expiresAt = expiresAt
        self.headers = headers
    }

    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

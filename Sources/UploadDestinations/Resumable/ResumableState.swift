import Foundation
import Uploads

/// What another worker needs to continue: the upload's URL, the version that the server speaks, and the size of parts.
struct ResumableState: Hashable, Sendable {
    /// May be a credential: never shown with its query.
    var url: String
    var interop: ResumableInterop
    /// Bytes of every part but the last.
    var partBytes: Int64
    /// When the server may forget the upload; nil where it does not say.
    var expiry: Date?

    init(_ url: String, _ interop: ResumableInterop, partBytes: Int64, expiry: Date? = nil) {
        self.url = url
        self.interop = interop
        self.partBytes = partBytes
        self.expiry = expiry
    }

    /// - Throws: `sessionExpired` for a payload that this driver cannot have written.
    init(_ state: UploadState) throws(UploadError) {
        guard let url = state.payload["url"]?.string, !url.isEmpty,
            let interop = state.payload["interop"]?.integer.flatMap({ ResumableInterop(rawValue: Int(clamping: $0)) }),
            let partBytes = state.partBytes
        else {
            throw UploadError(.sessionExpired, "the state of the resumable upload cannot be read: it is begun anew")
        }
        self.init(url, interop, partBytes: partBytes)
        expiry = state.payload["expires"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// "A client SHOULD NOT attempt to access the upload resource" any more (draft -11, "Limits").
    var isPast: Bool { expiry.map { $0 < Date() } ?? false }

    var displayURL: String { DestinationReference.redact(url) }

    var uploadState: UploadState {
        var payload: [String: JSONValue] = [
            "url": .string(url), "interop": .integer(Int64(interop.rawValue)), "partBytes": .integer(partBytes),
        ]
        if let expiry { payload["expires"] = .integer(Int64(saturating: expiry.timeIntervalSince1970.rounded(.down))) }
        return UploadState(driver: ResumableDestination.driverName, payload: .object(payload))
    }
}

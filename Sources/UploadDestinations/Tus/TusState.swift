import Foundation
import Uploads

/// What another worker needs to continue: the URLs of the upload, and the size of parts.
struct TusState: Hashable, Sendable {
    /// The URLs may be credentials: never shown with their query.
    enum Place: Hashable, Sendable {
        case whole(String)
        /// One URL for each part, to be concatenated.
        case partials([String])
    }

    var place: Place
    /// Bytes of every part but the last.
    var partBytes: Int64

    init(_ place: Place, partBytes: Int64) {
        self.place = place
        self.partBytes = partBytes
    }

    /// - Throws: `sessionExpired` for a payload that this driver cannot have written.
    init(_ state: UploadState) throws(UploadError) {
        var place: Place?
        if let url = state.payload["url"]?.string, !url.isEmpty { place = .whole(url) }
        if case .array(let values)? = state.payload["partials"] {
            let urls = values.compactMap(\.string)
            if urls.count == values.count, !urls.isEmpty, !urls.contains("") { place = .partials(urls) }
        }
        guard let place, let partBytes = state.partBytes else {
            throw UploadError(.sessionExpired, "the state of the tus upload cannot be read: it is begun anew")
        }
        self.init(place, partBytes: partBytes)
    }

    /// The first URL, as it may be shown.
    var displayURL: String {
        switch place {
        case .whole(let url): DestinationReference.redact(url)
        case .partials(let urls): DestinationReference.redact(urls.first ?? "")
        }
    }

    var uploadState: UploadState {
        let (key, value): (String, JSONValue) =
            switch place {
            case .whole(let url): ("url", .string(url))
            case .partials(let urls): ("partials", .array(urls.map { .string($0) }))
            }
        return UploadState(
            driver: TusDestination.driverName, payload: .object([key: value, "partBytes": .integer(partBytes)]))
    }

    /// The URL of each upload with the range of the file that it is to hold; nil for a state that does not fit the file.
    func uploads(of size: Int64) -> [(url: String, range: Range<Int64>)]? {
        switch place {
        case .whole(let url): return [(url, 0..<size)]
        case .partials(let urls):
            let plan = PartPlan(size: size, partSize: partBytes)
            guard urls.count == plan.count else { return nil }
            return zip(urls, plan.parts).map { ($0, $1.range) }
        }
    }
}

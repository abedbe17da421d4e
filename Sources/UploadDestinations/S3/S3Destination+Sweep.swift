public import Foundation
public import Uploads

/// Finds unfinished uploads by ListMultipartUploads. The bucket does not name an upload's job: the ledger finds it by the upload id.
extension S3Destination: SweepableDestination {
    public func unfinished(startedBefore date: Date) async throws(UploadError) -> [UnfinishedUpload] {
        var found: [UnfinishedUpload] = []
        var last: (key: String, uploadID: String)?
        repeat {
            let page = try await client.uploads(below: configuration.prefix, after: last)
            for upload in page.uploads ?? [] where upload.key.hasBytePrefix(configuration.prefix) {
                guard let startedAt = WireJSON.date(upload.initiated), startedAt < date else { continue }
                found.append(
                    UnfinishedUpload(
                        key: upload.key.dropping(bytes: configuration.prefix.utf8.count), sessionID: upload.uploadID,
                        startedAt: startedAt))
            }
            guard page.isTruncated == true, let end = page.uploads?.last else { break }
            // Some servers leave the markers empty.
            let next = (page.nextKeyMarker.given ?? end.key, page.nextUploadIDMarker.given ?? end.uploadID)
            // A server that returns the same page again would keep the sweep here for ever.
            if let last, next == last { break }
            last = next
        } while found.count < UnfinishedUpload.countMaximum
        return Array(found.sorted { $0.startedAt < $1.startedAt }.prefix(UnfinishedUpload.countMaximum))
    }

    public func sessionID(of state: UploadState) -> String? {
        guard state.driver == Self.driverName else { return nil }
        return (try? S3State(state))?.uploadID
    }

    public func discard(_ upload: UnfinishedUpload) async throws(UploadError) {
        try await client.abort(upload.sessionID, key: configuration.prefix + upload.key)
    }
}

extension String? {
    fileprivate var given: String? { self?.isEmpty == false ? self : nil }
}

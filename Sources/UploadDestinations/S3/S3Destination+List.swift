import Foundation
public import Uploads

/// Lists objects by ListObjectsV2, which tells neither metadata nor checksums.
extension S3Destination: ListableDestination {
    public func list(
        below prefix: String, _ take: @escaping @Sendable ([ListedObject]) throws(UploadError) -> Void
    ) async throws(UploadError) {
        var token: String?
        repeat {
            let page = try await client.objects(below: configuration.prefix + prefix, after: token)
            let objects = page.objects ?? []
            try take(objects.compactMap { listed($0, isEscaped: page.encoding?.lowercased() == "url") })
            guard page.isTruncated == true else { return }
            // A server that returns a page again would keep the listing here for ever.
            guard let next = page.nextToken, !next.isEmpty, next != token, !objects.isEmpty else {
                throw UploadError(
                    .invalidResponse,
                    "ListObjectsV2 of \(client.location(nil)) says that there is more, and does not continue: look at the server",
                    retry: .afterBackoff)
            }
            token = next
        } while true
    }

    /// - Returns: nil for a key outside the destination's prefix, or one that is not UTF-8.
    private func listed(_ object: S3ObjectList.Object, isEscaped: Bool) -> ListedObject? {
        // Escaped as in a form: a space is a plus sign ("ListObjectsV2", encoding-type).
        let key = isEscaped ? object.key.replacing("+", with: " ").removingPercentEncoding : object.key
        guard let key, key.hasBytePrefix(configuration.prefix), let size = object.size else { return nil }
        return ListedObject(
            key: key.dropping(bytes: configuration.prefix.utf8.count), size: size,
            modifiedAt: object.modified.flatMap(WireJSON.date), md5: object.etag.flatMap(md5), writer: .unlisted)
    }

    /// The ETag of an object that went up in one request may be its MD5; that of a multipart object has a dash.
    private func md5(_ etag: String) -> String? {
        guard configuration.etagMeaning != .opaque else { return nil }
        let digits = etag.trimmingCharacters(in: CharacterSet(charactersIn: "\"")).lowercased()
        guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else { return nil }
        return digits
    }
}

import Foundation
import Uploads

/// A key as part of a URL.
enum URLKey {
    /// The URL of a key below a base.
    /// - Parameter base: with or without a slash at its end; a query stays at the end.
    /// - Throws: `rejected` for a key that is not a path.
    static func append(_ key: String, to base: String) throws(UploadError) -> String {
        let path = try path(key)
        let start = base.bytePrefix(upTo: "?", "#")
        return start + (start.hasByteSuffix("/") ? "" : "/") + path + base.dropping(bytes: start.utf8.count)
    }

    /// A key as a path, each component escaped.
    /// - Throws: `rejected` for a key that is not a path.
    static func path(_ key: String) throws(UploadError) -> String {
        let components = key.pathComponents
        guard !components.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw UploadError(
                .rejected,
                "'\(key)' is no key for a URL: use a relative path without '.', '..', empty components or a slash at its end"
            )
        }
        return components.map(escape).joined(separator: "/")
    }

    /// Escapes everything but the unreserved characters (RFC 3986, section 2.3), also `+`, which some servers take for a space.
    static func escape(_ component: String) -> String {
        component.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

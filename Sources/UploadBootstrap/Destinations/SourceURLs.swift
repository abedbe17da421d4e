import Foundation
import Uploads

/// The http(s) URLs below which jobs may read: an allow-list, so that no producer makes a worker fetch a page that only the worker can reach.
struct SourceURLs: Hashable, Sendable {
    private let prefixes: [Parts]

    /// - Throws: `configuration` for a text that is no URL, or does not end in `/`.
    init(_ prefixes: [String], key: String) throws(ProgramError) {
        var parts: [Parts] = []
        for prefix in prefixes {
            guard let found = Parts(prefix), found.path.hasSuffix("/"), !prefix.contains("?") else {
                throw ProgramError(
                    .configuration,
                    "\(key): \(DestinationReference.redact(prefix)): expected a URL such as https://host/path/, with a slash at its end"
                )
            }
            parts.append(found)
        }
        self.prefixes = parts
    }

    func contains(_ url: String) -> Bool {
        guard let parts = Parts(url), !parts.path.pathComponents.contains(where: { $0 == ".." || $0 == "." })
        else { return false }
        return prefixes.contains { $0.origin == parts.origin && parts.path.hasBytePrefix($0.path) }
    }

    private struct Parts: Hashable {
        /// Scheme, host and port.
        let origin: String
        /// Without percent escapes, so that an escaped `..` is recognised.
        let path: String

        init?(_ url: String) {
            guard let components = URLComponents(string: url), let scheme = components.scheme?.lowercased(),
                ["http", "https"].contains(scheme), let host = components.encodedHost?.lowercased(), !host.isEmpty
            else { return nil }
            origin = "\(scheme)://\(host):\(components.port ?? (scheme == "https" ? 443 : 80))"
            path = components.path
        }
    }
}

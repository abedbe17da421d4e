package import Foundation

extension URL {
    /// Whether the URL names a port from 1 to 65535, or none. A URL with another one must not be given to NIO, which ends the process.
    package var hasValidPort: Bool { Self.isValid(port: port) }

    fileprivate static func isValid(port: Int?) -> Bool { port.map { (1...65_535).contains($0) } ?? true }
}

extension URLComponents {
    /// The same as ``Foundation/URL/hasValidPort``.
    package var hasValidPort: Bool { URL.isValid(port: port) }
}

public import AsyncHTTPClient
public import Foundation
import NIOCore
public import Uploads

/// A server that takes files by PUT.
public struct HTTPConfiguration: Hashable, Sendable {
    /// What the key of a named destination is appended to; nil where jobs bring whole URLs.
    public var url: String?
    /// Sent with every request, `Authorization` among them. Never shown.
    public var headers: [String: String]
    public var limits: TransferLimits
    /// A PEM file with certificates to trust besides the system's.
    public var certificateAuthorityFile: String?
    /// Seconds from the end of the body to the first byte of the answer, 60 by default.
    public var firstByteSeconds: TimeInterval
    /// Seconds without a byte sent or received, 60 by default.
    public var stallSeconds: TimeInterval
    /// Whether the destination can be asked by HEAD what it has. Not so with most pre-signed URLs, which are good for one method.
    public var answersHead: Bool

    public init(
        url: String? = nil, headers: [String: String] = [:], limits: TransferLimits = TransferLimits(),
        certificateAuthorityFile: String? = nil, firstByteSeconds: TimeInterval = 60, stallSeconds: TimeInterval = 60,
        answersHead: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.limits = limits
        self.certificateAuthorityFile = certificateAuthorityFile
        self.firstByteSeconds = firstByteSeconds
        self.stallSeconds = stallSeconds
        self.answersHead = answersHead
    }

    /// How the client of HTTP destinations has to be made: a body cannot be sent again to where a redirect leads, a refused
    /// connection is told at once, connecting takes at most 10 s, and no span carries a URL with its query.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.httpVersion = .http1Only
        configuration.tracing.tracer = nil
        return configuration
    }
}

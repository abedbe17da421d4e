import Foundation
public import Uploads

/// A server that speaks WebDAV (RFC 4918), or as much of it as moves a file into place.
public struct WebDAVConfiguration: Hashable, Sendable {
    /// The folder that keys are appended to. It has to be there; folders below it are made.
    public var url: String
    /// A folder below `url` for files that are not whole yet, such as `.longshore`, so that what nobody finishes can be found and
    /// removed; nil: each beside its target, under a hidden name. It has to be on the same file system as the targets.
    public var temporaryFolder: String?
    /// Sent with every request, `Authorization` among them. Never shown.
    public var headers: [String: String]
    /// For a server that wants Digest authentication; nil: the headers say who asks.
    public var digest: HTTPDigestLogin?
    /// Parts do not count: a file goes up in one piece.
    public var limits: TransferLimits
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes

    public init(
        url: String, temporaryFolder: String? = nil, headers: [String: String] = [:],
        limits: TransferLimits = TransferLimits(), tls: TLSFiles = TLSFiles()
    ) {
        self.url = url
        self.temporaryFolder = temporaryFolder
        self.headers = headers
        self.limits = limits
        self.tls = tls
        times = HTTPTimes()
    }

    /// Pauses before a folder is asked for again that somebody else is making, in seconds, at most. Then the job waits on the broker.
    var busyPauseSeconds: [TimeInterval] = [0.05, 0.1, 0.2, 0.4, 0.8]

    /// Whether a text may be a ``temporaryFolder``.
    public static func isFolder(_ text: String) -> Bool { (try? URLKey.path(text)) != nil }
}

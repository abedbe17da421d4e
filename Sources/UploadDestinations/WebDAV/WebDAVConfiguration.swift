import Foundation
public import Uploads

/// A server that speaks WebDAV (RFC 4918), or at least its PUT and MOVE.
public struct WebDAVConfiguration: Hashable, Sendable {
    /// The folder that keys are appended to. It has to exist; the driver makes folders below it.
    public var url: String
    /// A folder below `url` for unfinished files, such as `.longshore`, so that a sweep can find and remove abandoned
    /// ones; nil: each is beside its target, under a hidden name. The folder has to be on the same file system as the
    /// targets.
    public var temporaryFolder: String?
    /// Headers of every request, `Authorization` included. Never shown.
    public var headers: [String: String]
    /// The login for a server that wants Digest authentication; nil: the headers carry the credentials.
    public var digest: HTTPDigestLogin?
    /// The number of parts has no effect: a file goes up in one piece.
    public var limits: TransferLimits
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
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

    /// Pauses in seconds, at most, before the driver asks again for a folder that another worker is making. After the last one the job waits
    /// on the broker.
    var busyPauseSeconds: [TimeInterval] = [0.05, 0.1, 0.2, 0.4, 0.8]

    /// Whether a text may be a ``temporaryFolder``.
    public static func isFolder(_ text: String) -> Bool { (try? URLKey.path(text)) != nil }
}

public import Uploads

/// A server that takes resumable uploads over HTTP (draft-ietf-httpbis-resumable-upload), or plain ones.
public struct ResumableConfiguration: Hashable, Sendable {
    /// Bytes of a part by default: 32 MiB. Parts go one after the other, and a lost connection does not lose the part, because the server keeps
    /// the bytes that have arrived.
    public static let usualPartBytes = 4 * PartPlan.blockBytes

    /// The method that begins an upload, or sends a plain one.
    public enum Method: String, CaseIterable, Hashable, Sendable {
        case post = "POST"
        case put = "PUT"
    }

    /// The URL that the key is appended to, or that every upload goes to.
    public var url: String
    /// Whether the key is appended to ``url``. If not, it is sent as the file's name.
    public var hasKeyInURL: Bool
    /// nil: PUT where the key is in the URL, POST where it is not.
    public var method: Method?
    /// The interop version that the server speaks; nil: the driver asks the server.
    public var interop: ResumableInterop?
    /// Other origins (`https://host:port`) at which the server may keep uploads. Requests to them carry the headers, too.
    public var uploadOrigins: [String]
    /// Headers of every request, `Authorization` included. Never shown.
    public var headers: [String: String]
    /// The number of parts has no effect: they go one after the other.
    public var limits: TransferLimits
    /// The most bytes of one PATCH, at least 1; a multiple of 8 MiB fits the checksums of staged files.
    public var partBytes: Int64
    /// Whether parts are sent with their digest (`Content-Digest`). Costs a second read of each part.
    public var sendsDigests: Bool
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
    public var times: HTTPTimes

    public init(url: String, headers: [String: String] = [:], limits: TransferLimits = TransferLimits()) {
        self.url = url
        self.headers = headers
        self.limits = limits
        hasKeyInURL = true
        method = nil
        interop = nil
        uploadOrigins = []
        partBytes = Self.usualPartBytes
        sendsDigests = false
        tls = TLSFiles()
        times = HTTPTimes()
    }
}

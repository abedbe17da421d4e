public import Uploads

/// A server that takes resumable uploads over HTTP (draft-ietf-httpbis-resumable-upload), or plain ones.
public struct ResumableConfiguration: Hashable, Sendable {
    /// Bytes of a part if nothing else is said: 32 MiB. Parts go one after the other; what is lost with a connection is not the part,
    /// for the server keeps what has arrived of it.
    public static let usualPartBytes = 4 * PartPlan.blockBytes

    /// How an upload is begun, or a plain one sent.
    public enum Method: String, CaseIterable, Hashable, Sendable {
        case post = "POST"
        case put = "PUT"
    }

    /// What the key is appended to, or where every upload goes.
    public var url: String
    /// Whether the key is appended to ``url``. If not, it is told as the file's name.
    public var hasKeyInURL: Bool
    /// nil: PUT where the key is in the URL, POST where it is not.
    public var method: Method?
    /// The version that the server speaks; nil to find out.
    public var interop: ResumableInterop?
    /// Other origins (`https://host:port`) at which the server may let uploads lie. They are sent the headers, too.
    public var uploadOrigins: [String]
    /// Sent with every request, `Authorization` among them. Never shown.
    public var headers: [String: String]
    /// Parts do not count: they go one after the other.
    public var limits: TransferLimits
    /// Most bytes of one PATCH, at least 1; a multiple of 8 MiB fits what staged files are checked by.
    public var partBytes: Int64
    /// Whether parts are sent with their digest (`Content-Digest`). Costs a second read of each part.
    public var sendsDigests: Bool
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
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

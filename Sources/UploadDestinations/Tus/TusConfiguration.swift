public import Uploads

/// A server that speaks tus 1.0 (https://tus.io/protocols/resumable-upload).
public struct TusConfiguration: Hashable, Sendable {
    /// Bytes of a part if nothing else is said: 32 MiB. Parts go one after the other, so they are larger than where several go at once;
    /// what is lost with a connection is not the part, for the server keeps what has arrived of it.
    public static let usualPartBytes = 4 * PartPlan.blockBytes

    /// The creation endpoint: where uploads are made by POST.
    public var url: String
    /// Other origins (`https://host:port`) at which the server may let uploads lie. They are sent the headers, too.
    public var uploadOrigins: [String]
    /// Sent with every request, `Authorization` among them. Never shown.
    public var headers: [String: String]
    /// Parts count only with ``concatenates``: otherwise they go one after the other.
    public var limits: TransferLimits
    /// Most bytes of one PATCH, at least 1; a multiple of 8 MiB fits what staged files are checked by.
    public var partBytes: Int64
    /// Whether a file of several parts goes up as several uploads at once, which the server puts together at the end. It has to offer
    /// that. A lost answer to the request that does it cannot be resolved: the file is then there twice.
    public var concatenates: Bool
    /// Whether parts are sent with a checksum where the server offers that. Costs a second read of each part.
    public var sendsChecksums: Bool
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes

    public init(url: String, headers: [String: String] = [:], limits: TransferLimits = TransferLimits()) {
        self.url = url
        self.headers = headers
        self.limits = limits
        uploadOrigins = []
        partBytes = Self.usualPartBytes
        concatenates = false
        sendsChecksums = true
        tls = TLSFiles()
        times = HTTPTimes()
    }

    /// Pauses before a locked upload is asked for again, in seconds. Then the job waits on the broker.
    var lockedPauseSeconds = TusLimits.lockedPauseSeconds
}

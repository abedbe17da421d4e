public import Uploads

/// A server that speaks tus 1.0 (https://tus.io/protocols/resumable-upload).
public struct TusConfiguration: Hashable, Sendable {
    /// Bytes of a part by default: 32 MiB. Parts go one after the other, so they are larger than where several go at once. A lost connection
    /// does not lose the part, because the server keeps the bytes that have arrived.
    public static let usualPartBytes = 4 * PartPlan.blockBytes

    /// The creation endpoint, where POST makes uploads.
    public var url: String
    /// Other origins (`https://host:port`) at which the server may keep uploads. Requests to them carry the headers, too.
    public var uploadOrigins: [String]
    /// Headers of every request, `Authorization` included. Never shown.
    public var headers: [String: String]
    /// The number of parts has an effect only with ``concatenates``: otherwise parts go one after the other.
    public var limits: TransferLimits
    /// The most bytes of one PATCH, at least 1; a multiple of 8 MiB fits the checksums of staged files.
    public var partBytes: Int64
    /// Whether a file of several parts goes up as several uploads at once, which the server concatenates at the end. The server has to offer the
    /// extension. If the answer to the concatenating request is lost, the file is sent again, and the server then holds it twice.
    public var concatenates: Bool
    /// Whether parts carry a checksum where the server offers checksums. Costs a second read of each part.
    public var sendsChecksums: Bool
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
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

    /// Pauses in seconds before the driver asks again for a locked upload. After the last one the job waits on the broker.
    var lockedPauseSeconds = TusLimits.lockedPauseSeconds
}

public import AsyncHTTPClient
import NIOCore
public import Uploads

/// A server that takes files by PUT or POST.
public struct HTTPConfiguration: Hashable, Sendable {
    public enum Method: String, CaseIterable, Hashable, Sendable {
        case put = "PUT"
        case post = "POST"
    }

    /// The URL that the key of a named destination is appended to; nil where jobs bring whole URLs.
    public var url: String?
    /// Headers of every request, `Authorization` included. Never shown.
    public var headers: [String: String]
    /// The login for a server that wants Digest authentication; nil: the headers carry the credentials.
    public var digest: HTTPDigestLogin?
    public var limits: TransferLimits
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
    public var times: HTTPTimes
    /// Whether the server answers HEAD about stored files. Most pre-signed URLs do not, for they allow a single method. Has no effect with POST.
    public var answersHead: Bool
    /// The method that files go up by: PUT by default.
    public var method = Method.put
    /// Whether keys are appended to the URL, true by default; no effect with PUT, whose URL always names the stored file.
    public var appendsKey = true
    /// The form that holds the file; nil: the body is the file.
    public var form: HTTPForm?
    /// Headers of each upload, made from its job. A header whose template names a value that the job lacks is left out.
    public var jobHeaders: [String: JobTemplate] = [:]
    /// The statuses that count as success.
    public var success = HTTPStatuses.usual
    /// The path of the object's URL in a JSON answer: `data.link`. nil: the `Location` header of the answer to a POST.
    public var answerURL: String?
    /// Whether uploads carry an `Idempotency-Key`: the same key for each attempt of a round, another key for the next round.
    public var sendsIdempotencyKey = false
    /// Whether files of several parts go up in ranges (`Content-Range`), so that another worker can continue. Only for servers that are known
    /// to write ranges in place (Apache's mod_dav) and to answer HEAD.
    public var ranges = false
    /// Bytes of a range, at least 1; a multiple of 8 MiB fits the checksums of staged files. 32 MiB by default.
    public var partBytes = 4 * PartPlan.blockBytes
    /// The most bytes of a file, where the server's limit is known.
    public var sizeMaximum: Int64?
    /// The known service behind the URL, whose answers say more than their statuses; nil: none.
    public var profile: HTTPProfile?

    public init(
        url: String? = nil, headers: [String: String] = [:], limits: TransferLimits = TransferLimits(),
        tls: TLSFiles = TLSFiles(), times: HTTPTimes = HTTPTimes(),
        answersHead: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.limits = limits
        self.tls = tls
        self.times = times
        self.answersHead = answersHead
    }

    /// `TCP_NOTSENT_LOWAT`, tcp(7), which Glibc's module does not show.
    private static let notSentLowWaterMark: CInt = 25
    /// Unsent bytes that the socket may hold. By default it holds megabytes, and the progress of a slow and steady body would move in jumps
    /// that are minutes apart.
    private static let unsentBytes = 1 << 20

    /// The configuration for the client of HTTP destinations: no redirects, because a body cannot be sent twice; a refused connection fails at
    /// once; connecting takes at most 10 s; no tracing span carries a URL with its query.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.httpVersion = .http1Only
        configuration.tracing.tracer = nil
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit { try HTTPSignsOfLife.add(to: channel) }.flatMap {
                channel.setOption(
                    .tcpOption(NIOBSDSocket.Option(rawValue: Self.notSentLowWaterMark)), value: Self.unsentBytes)
            }
        }
        return configuration
    }
}

public import AsyncHTTPClient
import NIOCore
public import Uploads

/// A server that takes files by PUT or POST.
public struct HTTPConfiguration: Hashable, Sendable {
    public enum Method: String, CaseIterable, Hashable, Sendable {
        case put = "PUT"
        case post = "POST"
    }

    /// What the key of a named destination is appended to; nil where jobs bring whole URLs.
    public var url: String?
    /// Sent with every request, `Authorization` among them. Never shown.
    public var headers: [String: String]
    /// For a server that wants Digest authentication; nil: the headers say who asks.
    public var digest: HTTPDigestLogin?
    public var limits: TransferLimits
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes
    /// Whether the destination can be asked by HEAD what it has. Not so with most pre-signed URLs, which are good for one method, and of no
    /// effect with POST.
    public var answersHead: Bool
    /// By which method files go up: PUT by default.
    public var method = Method.put
    /// Whether keys are appended to the URL, as is usual; of no effect with PUT, which always names what it stores.
    public var appendsKey = true
    /// The form that the file is sent in; nil: the body is the file.
    public var form: HTTPForm?
    /// Sent with each upload, made of its job. One that names what a job lacks is left out.
    public var jobHeaders: [String: JobTemplate] = [:]
    /// Which statuses count as success.
    public var success = HTTPStatuses.usual
    /// Where an answer in JSON says where the object is: `data.link`. nil: the answer to a POST says so by `Location`.
    public var answerURL: String?
    /// Whether uploads carry an `Idempotency-Key`: the same for each attempt of a round, another one for the next round.
    public var sendsIdempotencyKey = false
    /// Whether files of several parts go up in ranges (`Content-Range`), so that another worker can go on. Only for servers of which it is
    /// known that they write ranges in place (Apache's mod_dav), and answer HEAD.
    public var ranges = false
    /// Bytes of a range, at least 1; a multiple of 8 MiB fits what staged files are checked by. 32 MiB by default.
    public var partBytes = 4 * PartPlan.blockBytes
    /// Most bytes of a file, where the server has a limit that is known.
    public var sizeMaximum: Int64?
    /// Whose answers say more than their statuses.
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
    /// Bytes that the system takes beyond what the server's side has room for: with the megabytes that it takes otherwise, a body that
    /// goes out slowly and steadily moves in jumps that are minutes apart.
    private static let unsentBytes = 1 << 20

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
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit { try HTTPSignsOfLife.add(to: channel) }.flatMap {
                channel.setOption(
                    .tcpOption(NIOBSDSocket.Option(rawValue: Self.notSentLowWaterMark)), value: Self.unsentBytes)
            }
        }
        return configuration
    }
}

/// Where the requests for a bucket go besides what is configured: to the region that its server has named, and to the host that it redirects
/// to for the time being. A value; times are instants of one clock.
struct S3Route: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// For how long a redirect is followed before the bucket's own host is asked again. A redirect is temporary: it leads past a name that has
    /// not spread yet ("Request routing", Amazon S3 User Guide), or past a server that is away.
    static let redirectLifetime = Duration.seconds(300)

    private(set) var signer: SigV4Signer
    private var redirect: (host: String, end: Instant)?

    init(region: String) { signer = SigV4Signer(region: region) }

    var region: String { signer.region }

    /// The host that a redirect leads to; nil goes by the configuration.
    func host(at now: Instant) -> String? { redirect.flatMap { now < $0.end ? $0.host : nil } }

    mutating func move(to region: String) { self = S3Route(region: region) }

    mutating func follow(_ host: String, at now: Instant) { redirect = (host, now + Self.redirectLifetime) }

    /// Goes by the configuration again, unless another redirect has come in the meantime.
    mutating func forget(_ host: String) { if redirect?.host == host { redirect = nil } }
}

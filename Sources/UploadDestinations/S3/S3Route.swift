/// Corrections to the configured address of a bucket: the region that its server has named, and the host to which the server redirects
/// for now. A pure value; times are instants of one clock.
struct S3Route: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How long a redirect is followed before the bucket's own host is asked again. A redirect is temporary: it bypasses a name that has
    /// not spread yet ("Request routing", Amazon S3 User Guide), or a server that is down.
    static let redirectLifetime = Duration.seconds(300)

    private(set) var signer: SigV4Signer
    private var redirect: (host: String, end: Instant)?

    init(region: String) { signer = SigV4Signer(region: region) }

    var region: String { signer.region }

    /// The host of a redirect; nil uses the configuration.
    func host(at now: Instant) -> String? { redirect.flatMap { now < $0.end ? $0.host : nil } }

    mutating func move(to region: String) { self = S3Route(region: region) }

    mutating func follow(_ host: String, at now: Instant) { redirect = (host, now + Self.redirectLifetime) }

    /// Returns to the configuration, unless another redirect has come in the meantime.
    mutating func forget(_ host: String) { if redirect?.host == host { redirect = nil } }
}

public import UploadDestinations
import Uploads

/// How a server that speaks HTTP is reached: what the drivers have in common.
public struct WebSettings: Hashable, Sendable {
    public var url: String
    public var username: String?
    public var password: Secret?
    /// Whether user and password are for Digest authentication instead of Basic.
    public var isDigest: Bool
    public var bearerToken: Secret?
    /// The whole value of the header, of any scheme.
    public var authorization: Secret?
    public var headers: [String: Secret]
    public var tls: TLSFiles
    public var route: HTTPRoute
    public var times: HTTPTimes

    /// - Parameter standardURL: if none is given.
    /// - Throws: `configuration` when there is no URL, or a key without its certificate.
    init(_ base: String, _ settings: Settings, standardURL: String? = nil) throws(ProgramError) {
        url = try settings.needed("\(base).url") { settings.text($0) ?? standardURL }
        username = settings.text("\(base).username")
        password = settings.secret("\(base).password")
        isDigest = settings.text("\(base).authentication") == "digest"
        guard !isDigest || username != nil else {
            throw ProgramError(
                .configuration,
                "\(settings.place("\(base).authentication")): goes with a username; give both, or leave it out")
        }
        bearerToken = settings.secret("\(base).bearerToken")
        authorization = settings.secret("\(base).authorization")
        headers = settings.secrets(below: "\(base).headers")
        tls = try settings.tls(base)
        route = HTTPRoute(base, settings)
        times = HTTPTimes(base, settings)
    }

    /// - Throws: `configuration` unless the URL is one that keys can be appended to.
    func checkIsBase(_ base: String, _ settings: Settings) throws(ProgramError) {
        guard url.hasSuffix("/"), !url.contains("?") else {
            throw ProgramError(
                .configuration, "\(settings.place("\(base).url")): expected a URL that ends in '/' and has no query")
        }
    }
}

extension HTTPTimes {
    init(_ base: String, _ settings: Settings) {
        self.init()
        firstByteSeconds = settings.seconds("\(base).answerTimeout") ?? firstByteSeconds
        stallSeconds = settings.seconds("\(base).stallTimeout") ?? stallSeconds
        bytesPerSecondMinimum = settings.integer("\(base).minimumBytesPerSecond") ?? bytesPerSecondMinimum
    }
}

extension Settings {
    /// - Throws: `configuration` for a key without its certificate.
    func tls(_ base: String) throws(ProgramError) -> TLSFiles {
        let tls = TLSFiles(
            authorities: path("\(base).caFile"), certificate: path("\(base).certificateFile"),
            key: path("\(base).keyFile"))
        guard tls.key == nil || tls.certificate != nil else {
            throw ProgramError(
                .configuration, "\(place("\(base).keyFile")): goes with certificateFile; give both, or leave it out")
        }
        return tls
    }
}

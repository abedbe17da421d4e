import UploadDestinations
import Uploads

/// How a worker reaches a server that speaks HTTP: the settings that such drivers have in common.
struct WebSettings: Hashable, Sendable {
    /// The keys that these settings are read from; `authentication` only of drivers that list it.
    static let keys: [ConfigurationKey] =
        [.url, .username, .password, .bearerToken, .authorization, .headers] + ConfigurationKey.connection

    var url: String
    var username: String?
    var password: Secret?
    /// Whether user and password are for Digest authentication instead of Basic.
    var isDigest: Bool
    var bearerToken: Secret?
    /// The whole value of the header, of any scheme.
    var authorization: Secret?
    var headers: [String: Secret]
    var tls: TLSFiles
    var route: HTTPRoute
    var times: HTTPTimes

    /// - Parameter standardURL: the URL where the configuration has none.
    /// - Throws: `configuration` when there is no URL, or a key without its certificate.
    init(_ section: SettingsSection, standardURL: String? = nil) throws(ProgramError) {
        if let given = section.text("url") ?? standardURL {
            url = given
        } else {
            url = try section.needed("url")
        }
        username = section.text("username")
        password = section.secret("password")
        isDigest = section.text("authentication") == "digest"
        guard !isDigest || username != nil else {
            throw section.problem("authentication", "goes with a username; give both, or leave it out")
        }
        bearerToken = section.secret("bearerToken")
        authorization = section.secret("authorization")
        headers = section.secrets(below: "headers")
        tls = try section.tls()
        route = HTTPRoute(section)
        times = HTTPTimes(section)
    }

    /// - Throws: `configuration` unless the URL is one that keys can be appended to.
    func checkIsBase(_ section: SettingsSection) throws(ProgramError) {
        guard url.hasSuffix("/"), !url.contains("?") else {
            throw section.problem("url", "expected a URL that ends in '/' and has no query")
        }
    }
}

extension HTTPTimes {
    init(_ section: SettingsSection) {
        self.init()
        firstByteSeconds = section.seconds("answerTimeout") ?? firstByteSeconds
        stallSeconds = section.seconds("stallTimeout") ?? stallSeconds
        bytesPerSecondMinimum = section.integer("minimumBytesPerSecond") ?? bytesPerSecondMinimum
    }
}

extension SettingsSection {
    /// - Throws: `configuration` for a key without its certificate.
    func tls() throws(ProgramError) -> TLSFiles {
        let tls = TLSFiles(authorities: path("caFile"), certificate: path("certificateFile"), key: path("keyFile"))
        guard tls.key == nil || tls.certificate != nil else {
            throw problem("keyFile", "goes with certificateFile; give both, or leave it out")
        }
        return tls
    }

    /// Bytes of a part; nil where the configuration does not say.
    /// - Throws: `configuration` for a size that staged checksums do not fit.
    func partBytes() throws(ProgramError) -> Int64? {
        guard let bytes = bytes("partSize") else { return nil }
        guard bytes % PartPlan.blockBytes == 0 else {
            throw problem("partSize", "expected a multiple of 8MiB, so that staged checksums fit the parts")
        }
        return bytes
    }
}

import AsyncHTTPClient
import Foundation
import UploadDestinations
import Uploads

/// What a driver's settings need to become a destination: the destination's limits, secrets, and connections.
struct DestinationContext: Sendable {
    let limits: TransferLimits
    let environment: [String: String]
    let clients: HTTPClients
    private let section: SettingsSection

    init(
        _ name: DestinationName, limits: TransferLimits = TransferLimits(), _ configuration: UploadConfiguration,
        _ clients: HTTPClients
    ) {
        self.limits = limits
        self.clients = clients
        environment = configuration.environment
        section = SettingsSection("destinations.\(name)", configuration.settings)
    }

    /// The path of a key in the configuration: `destinations.photos.bucket`.
    func keyPath(_ key: String) -> String { "\(section.base).\(key)" }

    /// The error for a key's value: its place, and the text.
    func problem(_ key: String, _ text: String) -> ProgramError { section.problem(key, text) }

    /// - Throws: `configuration` when the secret is not there.
    func resolve(_ secret: Secret, _ key: String) throws(ProgramError) -> String {
        try secret.resolve(environment, key: section.place(key))
    }

    /// - Throws: `configuration` when the proxy is no URL.
    func client(_ route: HTTPRoute) throws(ProgramError) -> HTTPClient { try clients.client(route) }

    /// Makes the destination.
    /// - Parameter key: the key that is at fault when the driver refuses its configuration.
    /// - Throws: `configuration` with the key's place.
    func make<Made: Destination>(
        blaming key: String = "url", _ make: () throws(UploadError) -> Made
    ) throws(ProgramError) -> Made { try section.checked(key, make) }

    /// The headers of every request to a destination, `Authorization` among them.
    /// - Throws: `configuration` when a secret is not there, or several keys set `Authorization`.
    func headers(_ web: WebSettings) throws(ProgramError) -> [String: String] {
        var headers: [String: String] = [:]
        for (header, secret) in web.headers {
            headers[header] = try resolve(secret, "headers.\(header)")
        }
        if web.bearerToken != nil, web.username != nil {
            throw problem("bearerToken", "stands beside a username; give one of them")
        }
        if let authorization = web.authorization {
            guard web.bearerToken == nil, web.username == nil else {
                throw problem("authorization", "stands beside a username or a bearerToken; give one of them")
            }
            headers["Authorization"] = try resolve(authorization, "authorization")
        }
        if let token = web.bearerToken {
            headers["Authorization"] = "Bearer \(try resolve(token, "bearerToken"))"
        }
        if let user = web.username, !web.isDigest {
            // RFC 7617, section 2.
            let pair = "\(user):\(try password(web))"
            headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        }
        return headers
    }

    /// User and password for Digest authentication; nil where the configuration chooses another scheme.
    /// - Throws: `configuration` when the password is not there.
    func digest(_ web: WebSettings) throws(ProgramError) -> HTTPDigestLogin? {
        guard web.isDigest, let user = web.username else { return nil }
        return HTTPDigestLogin(user: user, password: try password(web))
    }

    private func password(_ web: WebSettings) throws(ProgramError) -> String {
        guard let password = web.password else { return "" }
        return try resolve(password, "password")
    }
}

import Foundation
import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The headers of every request to a destination, `Authorization` among them.
    /// - Throws: `configuration` when a secret is not there, or those for `Authorization` contradict each other.
    func headers(
        of name: DestinationName, _ web: WebSettings
    ) throws(ProgramError) -> [String: String] {
        let base = "destinations.\(name)"
        func resolve(_ secret: Secret, _ key: String) throws(ProgramError) -> String {
            try secret.resolve(environment, key: settings.place("\(base).\(key)"))
        }
        var headers: [String: String] = [:]
        for (header, secret) in web.headers {
            headers[header] = try resolve(secret, "headers.\(header)")
        }
        if web.bearerToken != nil, web.username != nil {
            throw ProgramError(
                .configuration, "\(settings.place("\(base).bearerToken")): stands beside a username; give one of them")
        }
        if let authorization = web.authorization {
            guard web.bearerToken == nil, web.username == nil else {
                throw ProgramError(
                    .configuration,
                    "\(settings.place("\(base).authorization")): stands beside a username or a bearerToken; give one of them"
                )
            }
            headers["Authorization"] = try resolve(authorization, "authorization")
        }
        if let token = web.bearerToken {
            headers["Authorization"] = "Bearer \(try resolve(token, "bearerToken"))"
        }
        if let user = web.username, !web.isDigest {
            // RFC 7617, section 2.
            let pair = "\(user):\(try password(of: name, web))"
            headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        }
        return headers
    }

    /// User and password for Digest authentication; nil where another one is meant.
    /// - Throws: `configuration` when the password is not there.
    func digest(of name: DestinationName, _ web: WebSettings) throws(ProgramError) -> HTTPDigestLogin? {
        guard web.isDigest, let user = web.username else { return nil }
        return HTTPDigestLogin(user: user, password: try password(of: name, web))
    }

    private func password(of name: DestinationName, _ web: WebSettings) throws(ProgramError) -> String {
        guard let password = web.password else { return "" }
        return try password.resolve(environment, key: settings.place("destinations.\(name).password"))
    }
}

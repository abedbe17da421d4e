import Foundation
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
        if let user = web.username {
            let password = if let secret = web.password { try resolve(secret, "password") } else { "" }
            // RFC 7617, section 2.
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        }
        return headers
    }
}

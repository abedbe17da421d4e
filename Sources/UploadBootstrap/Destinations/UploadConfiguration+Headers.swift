import Foundation
import Uploads

extension UploadConfiguration {
    /// The headers of every request to a destination, `Authorization` among them.
    /// - Throws: `configuration` when a secret is not there, or user and token contradict each other.
    func headers(
        of name: DestinationName, _ http: DestinationSettings.HTTPSettings
    ) throws(ProgramError) -> [String: String] {
        let base = "destinations.\(name)"
        func resolve(_ secret: Secret, _ key: String) throws(ProgramError) -> String {
            try secret.resolve(environment, key: settings.place("\(base).\(key)"))
        }
        var headers: [String: String] = [:]
        for (header, secret) in http.headers {
            headers[header] = try resolve(secret, "headers.\(header)")
        }
        if http.bearerToken != nil, http.username != nil {
            throw ProgramError(
                .configuration, "\(settings.place("\(base).bearerToken")): stands beside a username; give one of them")
        }
        if let token = http.bearerToken {
            headers["Authorization"] = "Bearer \(try resolve(token, "bearerToken"))"
        }
        if let user = http.username {
            let password = if let secret = http.password { try resolve(secret, "password") } else { "" }
            // RFC 7617, section 2.
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        }
        return headers
    }
}

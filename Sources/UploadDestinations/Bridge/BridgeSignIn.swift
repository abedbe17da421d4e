import Foundation
import NIOHTTP1
import Uploads

/// `POST /v3/auth/signIn` (Bridge documentation, "Authentication", section "Sign-In").
struct BridgeSignIn: Sendable {
    let configuration: BridgeConfiguration
    let endpoint: TicketEndpoint

    func run() async -> Result<String, UploadError> {
        do {
            return .success(try await token())
        } catch {
            return .failure(error)
        }
    }

    private func token() async throws(UploadError) -> String {
        let url = configuration.url + (configuration.url.hasSuffix("/") ? "" : "/") + "v3/auth/signIn"
        let reply = try await endpoint.call(.POST, url, json: .object(document))
        guard (200..<300).contains(reply.status) else { throw failure(reply, at: url) }
        let json = try reply.json("POST \(DestinationReference.redact(url))")
        guard let token = json?["sessionToken"]?.string, !token.isEmpty,
            token.utf8.count <= BridgeLimits.tokenBytesMaximum, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw UploadError(
                .invalidResponse,
                "POST \(DestinationReference.redact(url)) was answered without a sessionToken: check the destination's url",
                retry: .afterBackoff, response: endpoint.bare(reply))
        }
        return token
    }

    /// The JSON document `SignIn`.
    private var document: [String: JSONValue] {
        var document: [String: JSONValue] = [
            "appId": .string(configuration.appID), "password": .string(configuration.password), "type": "SignIn",
        ]
        switch configuration.account {
        case .email(let email): document["email"] = .string(email)
        case .externalID(let id): document["externalId"] = .string(id)
        case .phone(let number, let region):
            document["phone"] = ["number": .string(number), "regionCode": .string(region)]
        }
        return document
    }

    private func failure(_ reply: HTTPReply, at url: String) -> UploadError {
        let meaning: StatusMeaning =
            switch reply.status {
            // Bridge answers a wrong password like an account that does not exist, "to prevent enumeration attacks".
            case 401, 404:
                (
                    .wrongCredentials,
                    "there is no such account, its password is another one, or its e-mail is not verified; correct the destination",
                    .never
                )
            case 423: (.accessDenied, "the account is disabled; ask Bridge's support", .never)
            default: BridgeErrorTable.meaning(reply.status)
            }
        // The body of a 412 holds a session, which is a credential.
        let response = reply.status == 412 ? endpoint.bare(reply) : endpoint.shown(reply, of: url)
        return UploadError.refused("POST \(DestinationReference.redact(url))", reply, meaning, response)
    }
}

import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Uploads

/// Sends calls to Bridge's API in the account's session.
struct BridgeClient: Sendable {
    static let sessionHeader = "Bridge-Session"

    let configuration: BridgeConfiguration
    let endpoint: TicketEndpoint
    private let login: BridgeLogin

    /// - Throws: `misconfigured` for an invalid URL.
    init(_ configuration: BridgeConfiguration, client: HTTPClient) throws(UploadError) {
        self.configuration = configuration
        try TicketEndpoint.check(configuration.url)
        let endpoint = TicketEndpoint(
            client: client, headers: configuration.headers, secrets: [configuration.password],
            times: configuration.times, tls: configuration.tls)
        self.endpoint = endpoint
        login = BridgeLogin(pauseSeconds: configuration.signInPauseSeconds) {
            await BridgeSignIn(configuration: configuration, endpoint: endpoint).run()
        }
    }

    func url(_ path: String) -> String { configuration.url + (configuration.url.hasSuffix("/") ? "" : "/") + path }

    /// Sends one call. If Bridge has ended the session, the call renews it once and never uses the refused session again. If Bridge also
    /// refuses the new session, this worker does not sign in for a while (`signInPauseSeconds`).
    /// - Throws: `wrongCredentials` when Bridge refuses a fresh session, too; the error of a failed sign-in.
    func call(
        _ method: HTTPMethod, _ path: String, json: JSONValue? = nil
    ) async throws(UploadError) -> (reply: HTTPReply, response: ServerResponse) {
        let url = url(path)
        var isRenewed = false
        while true {
            let token = try await login.token()
            let reply = try await endpoint.call(method, url, [Self.sessionHeader: token], json: json)
            let response = endpoint.shown(reply, of: url, hiding: [token])
            guard reply.status == 401 else { return (reply, response) }
            guard isRenewed else {
                login.reject(token)
                isRenewed = true
                continue
            }
            let error = UploadError(
                .wrongCredentials,
                "\(method) \(DestinationReference.redact(url)) was answered 401 in a session that was just begun: another client signs in to "
                    + "this account, which ends it; give each worker an account of its own",
                // The other client may be a worker that has just signed in for the same reason.
                retry: .afterBackoff, response: response)
            login.reject(token, error)
            throw error
        }
    }
}

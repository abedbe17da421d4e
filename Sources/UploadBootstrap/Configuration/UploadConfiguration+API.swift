import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// The callers that may use the notifier's HTTP API.
    /// - Throws: `configuration` where other hosts could reach the API without a token.
    func apiAccess() throws(ProgramError) -> APIAccess {
        if let token = try apiToken() { return .token(token) }
        guard case .listen(let host, _) = notifier.http, !APIAccess.isLoopback(host) else { return .loopback }
        throw ProgramError(
            .configuration,
            "\(settings.place("notifier.http")): \(notifier.http) can be reached by others, who could cancel every "
                + "upload; set notifier.token (env:NAME or file:PATH), or listen on 127.0.0.1")
    }

    /// The token that requests to the notifier's HTTP API carry; nil where the configuration names none.
    /// - Throws: `configuration` for a secret that is missing, or no valid token.
    func apiToken() throws(ProgramError) -> String? {
        guard let secret = notifier.token else { return nil }
        let place = settings.place("notifier.token")
        let token = try secret.resolve(environment, key: place)
        guard token.count >= APIAccess.tokenCountMinimum, token.allSatisfy({ $0.isASCII && !$0.isWhitespace })
        else {
            throw ProgramError(
                .configuration,
                "\(place): a token has at least \(APIAccess.tokenCountMinimum) characters, ASCII without spaces; "
                    + "make one with: openssl rand -hex 32")
        }
        return token
    }

    /// The URL of the notifier's HTTP API: `api`, else the address of `notifier.http` as seen from the notifier's own host.
    var apiAddress: String {
        if let api { return api }
        guard case .listen(let host, let port) = notifier.http, port != 0 else { return "http://127.0.0.1:9700" }
        let reachable = ["0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1"][host] ?? host
        return "http://\(HTTPAddress.listen(host: reachable, port: port))"
    }

    /// The token for a client of the API. Where the file names a token that only the notifier can read, the client asks without a token, for
    /// the API may need none; if the API then refuses, the client shows the hint.
    /// - Throws: `configuration` for a missing token that the command line or the environment names, and for an invalid one.
    func clientToken() throws(ProgramError) -> (token: String?, hint: String?) {
        do {
            return (try apiToken(), nil)
        } catch {
            guard case .file? = settings.values["notifier.token"]?.origin, let secret = notifier.token,
                (try? secret.resolve(environment, key: "")) == nil
            else { throw error }
            return (nil, "\(error), or name another file with --token-file")
        }
    }

    /// The destinations as the API shows them, without credentials.
    var destinationSummaries: [DestinationSummary] {
        (destinations ?? [:]).values.map {
            DestinationSummary(name: $0.name.rawValue, driver: $0.driver.driverName, limits: $0.limits)
        }
    }
}

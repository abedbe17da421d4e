import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// The callers that may use the notifier's HTTP API.
    /// - Throws: `configuration` where other hosts could reach the API without a token, and for a wrong token.
    func apiAccess() throws(ProgramError) -> APIAccess {
        var tokens: [APIToken] = []
        if let texts = try texts(ofToken: "notifier.token") {
            tokens.append(APIToken("notifier.token", role: .administer, texts: texts))
        }
        var problems: [String] = []
        for name in settings.names(in: "tokens") {
            do throws(ProgramError) {
                tokens.append(try token(name))
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw ProgramError(.configuration, problems: problems) }
        try check(tokens)
        if !tokens.isEmpty { return .tokens(tokens) }
        guard case .listen(let host, _) = notifier.http, !APIAccess.isLoopback(host) else { return .loopback }
        throw ProgramError(
            .configuration,
            "\(settings.place("notifier.http")): \(notifier.http) can be reached by others, who could cancel every "
                + "upload; set notifier.token (env:NAME or file:PATH) or tokens, or listen on 127.0.0.1")
    }

    private func token(_ name: String) throws(ProgramError) -> APIToken {
        let section = SettingsSection("tokens.\(name)", settings)
        _ = try section.needed("token")
        let word = try section.needed("role")
        guard let role = APIRole(rawValue: word), let texts = try texts(ofToken: "tokens.\(name).token") else {
            throw section.problem("role", "'\(word)' is no role")
        }
        let queues = section.has("queues") ? Set(section.list("queues")) : nil
        return APIToken(name, role: role, queues: queues, texts: texts)
    }

    /// - Throws: `configuration` where two tokens have a text in common: the holder could not be told.
    private func check(_ tokens: [APIToken]) throws(ProgramError) {
        for (index, token) in tokens.enumerated() {
            guard let other = tokens[..<index].first(where: { $0.shares(with: token) }) else { continue }
            let place = token.name == "notifier.token" ? token.name : "tokens.\(token.name).token"
            throw ProgramError(
                .configuration,
                "\(settings.place(place)): has the same text as \(other.name); make another one with: openssl rand -hex 32"
            )
        }
    }

    /// The token that a client of the API sends; nil where the configuration names none.
    /// - Throws: `configuration` for a secret that is missing, or no valid token.
    func apiToken() throws(ProgramError) -> String? { try texts(ofToken: "notifier.token")?.first }

    /// The texts of a token, the one to use first.
    private func texts(ofToken path: String) throws(ProgramError) -> [String]? {
        guard let secret = settings.secret(path) else { return nil }
        let place = settings.place(path)
        let texts = try secret.resolve(environment, key: place).split(whereSeparator: \.isWhitespace).map(String.init)
        guard (1...2).contains(texts.count),
            texts.allSatisfy({ $0.count >= APIToken.textCountMinimum && $0.allSatisfy(\.isASCII) })
        else {
            throw ProgramError(
                .configuration,
                "\(place): a token has at least \(APIToken.textCountMinimum) ASCII characters without spaces (while one replaces "
                    + "another, both of them); make one with: openssl rand -hex 32")
        }
        return texts
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

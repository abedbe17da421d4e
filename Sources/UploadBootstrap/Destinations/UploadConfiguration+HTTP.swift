import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of a server that takes files by PUT or POST. Secrets that lie in files are read again for each step.
    /// - Throws: `configuration` when a secret is not there.
    func destination(
        _ name: DestinationName, _ http: HTTPSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> HTTPDestination {
        let server = try configuration(of: name, http, limits: limits)
        let client = try clients.client(http.web.route)
        guard http.hasFiles else { return HTTPDestination(server, client: client) }
        return HTTPDestination(server, client: client) { () throws(UploadError) in
            do throws(ProgramError) {
                return try configuration(of: name, http, limits: limits)
            } catch {
                // It was there at the start: what vanishes may come back.
                throw UploadError(.misconfigured, error.description, retry: .afterBackoff)
            }
        }
    }

    private func configuration(
        of name: DestinationName, _ http: HTTPSettings, limits: TransferLimits
    ) throws(ProgramError) -> HTTPConfiguration {
        let base = "destinations.\(name)"
        var server = http.configuration
        server.limits = limits
        server.headers = try headers(of: name, http.web)
        server.digest = try digest(of: name, http.web)
        if let clientID = http.clientID {
            let id = try clientID.resolve(environment, key: settings.place("\(base).clientID"))
            server.headers["Authorization"] = "Client-ID \(id)"
        }
        for (field, secret) in http.secretFields {
            let place = settings.place("\(base).form.secretFields.\(field)")
            server.form?.secretFields[field] = try secret.resolve(environment, key: place)
        }
        return server
    }
}

extension HTTPSettings {
    /// Whether a secret may change while the program runs.
    fileprivate var hasFiles: Bool {
        let secrets =
            [web.password, web.bearerToken, web.authorization, clientID].compactMap { $0 } + web.headers.values
            + secretFields.values
        return secrets.contains { if case .file = $0 { true } else { false } }
    }
}

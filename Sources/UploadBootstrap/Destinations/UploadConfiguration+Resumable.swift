import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of a server of resumable uploads over HTTP.
    /// - Throws: `configuration` when a secret is not there, or a URL is none.
    func destination(
        _ name: DestinationName, _ resumable: ResumableSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> ResumableDestination {
        var server = resumable.configuration
        server.headers = try headers(of: name, resumable.web)
        server.limits = limits
        let client = try clients.client(resumable.web.route)
        do throws(UploadError) {
            return try ResumableDestination(server, client: client)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("destinations.\(name).url")): \(error.message)")
        }
    }
}

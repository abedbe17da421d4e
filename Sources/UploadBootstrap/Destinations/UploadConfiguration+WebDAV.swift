import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of a WebDAV server.
    /// - Throws: `configuration` when a secret is not there, or the URL is none.
    func destination(
        _ name: DestinationName, _ dav: WebDAVSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> WebDAVDestination {
        var server = dav.configuration
        server.headers = try headers(of: name, dav.web)
        server.digest = try digest(of: name, dav.web)
        server.limits = limits
        let client = try clients.client(dav.web.route)
        do throws(UploadError) {
            return try WebDAVDestination(server, client: client)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("destinations.\(name).url")): \(error.message)")
        }
    }
}

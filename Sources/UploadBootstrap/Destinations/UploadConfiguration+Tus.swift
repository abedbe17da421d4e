import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of a tus server.
    /// - Throws: `configuration` when a secret is not there, or a URL is none.
    func destination(
        _ name: DestinationName, _ tus: TusSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> TusDestination {
        var server = tus.configuration
        server.headers = try headers(of: name, tus.web)
        server.limits = limits
        let client = try clients.client(tus.web.route)
        do throws(UploadError) {
            return try TusDestination(server, client: client)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("destinations.\(name).url")): \(error.message)")
        }
    }
}

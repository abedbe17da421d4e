import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of an endpoint that gives pre-signed URLs.
    /// - Throws: `configuration` when a secret is not there, or a URL or template is none.
    func destination(
        _ name: DestinationName, _ presigned: PresignedSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> PresignedDestination {
        let base = "destinations.\(name)"
        var endpoint = presigned.configuration
        endpoint.headers = try headers(of: name, presigned.web)
        endpoint.limits = limits
        if !presigned.fields.isEmpty {
            var fields: [String: String] = [:]
            for (field, secret) in presigned.fields {
                fields[field] = try secret.resolve(environment, key: settings.place("\(base).request.fields.\(field)"))
            }
            endpoint.fields = fields
        }
        let client = try clients.client(presigned.web.route)
        do throws(UploadError) {
            return try PresignedDestination(endpoint, client: client)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("\(base).url")): \(error.message)")
        }
    }
}

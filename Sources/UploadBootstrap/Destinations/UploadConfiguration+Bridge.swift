import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of Sage Bionetworks Bridge.
    /// - Throws: `configuration` when a secret is not there, or the URL is none.
    func destination(
        _ name: DestinationName, _ bridge: BridgeSettings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> BridgeDestination {
        let base = "destinations.\(name)"
        var account = bridge.configuration
        account.headers = try headers(of: name, bridge.web)
        account.limits = limits
        if let secret = bridge.web.password {
            account.password = try secret.resolve(environment, key: settings.place("\(base).password"))
        }
        let client = try clients.client(bridge.web.route)
        do throws(UploadError) {
            return try BridgeDestination(account, client: client)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("\(base).url")): \(error.message)")
        }
    }
}

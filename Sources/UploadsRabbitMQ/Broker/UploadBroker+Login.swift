public import Logging
public import Uploads

extension UploadBroker {
    /// The same as ``connect(_:namespace:reads:logger:)``, by URLs.
    public static func connect(
        _ login: BrokerLogin, namespace: String, reads: Bool = false, logger: Logger
    ) async throws(UploadError) -> UploadBroker {
        try await connect(login.configuration, namespace: namespace, reads: reads, logger: logger)
    }
}

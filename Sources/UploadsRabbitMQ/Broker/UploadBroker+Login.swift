public import Logging
public import Uploads

extension UploadBroker {
    /// The same as ``connect(_:namespace:shards:reads:logger:)``, by URLs.
    public static func connect(
        _ login: BrokerLogin, namespace: String, shards: Shards = .one, reads: Bool = false, logger: Logger
    ) async throws(UploadError) -> UploadBroker {
        try await connect(login.configuration, namespace: namespace, shards: shards, reads: reads, logger: logger)
    }
}

import RabbitMQ
public import Uploads

/// The broker's addresses and the credentials for it, made from URLs without the client library's types.
public struct BrokerLogin: Sendable {
    var configuration: ConnectionConfiguration

    /// - Parameters:
    ///   - urls: `amqp://user:password@host:port/vhost` or `amqps://…`; several are hosts of one cluster.
    ///   - caFile: PEM of the authorities that may have signed the broker's certificate; nil trusts the system's.
    ///   - certificateFile: PEM of the client's certificate, together with `keyFile`.
    ///   - name: names the connections in the broker's lists.
    /// - Throws: `misconfigured` for URLs that cannot be parsed or contradict each other, or a certificate without its
    ///   key. The message shows neither user nor password.
    public init(
        urls: [String], caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil, name: String
    ) throws(UploadError) {
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw UploadError(.misconfigured, "a client certificate and its key belong together: give both, or none")
        }
        do throws(RabbitMQError) {
            configuration = try ConnectionConfiguration(urls: urls)
        } catch {
            throw UploadError(.misconfigured, error.message)
        }
        if caFile != nil || keyFile != nil {
            configuration.tls = TLSConfiguration(caFile: caFile, certificateFile: certificateFile, keyFile: keyFile)
        }
        configuration.name = name
    }
}

extension BrokerLogin: CustomStringConvertible {
    /// Safe to log: holds no password.
    public var description: String { configuration.description }
}

import Uploads
import UploadsRabbitMQ

/// The addresses of the broker, and the credentials for it.
public struct BrokerAccess: Sendable {
    /// `amqp://user:password@host:port/vhost` or `amqps://…`; several URLs are hosts of one cluster.
    public var urls: [String]
    /// For `amqps`: PEM of the authorities that may have signed the broker's certificate; nil trusts the system's.
    public var caFile: String?
    /// PEM of the certificate that the app shows, for brokers that ask for one; needs ``keyFile``.
    public var certificateFile: String?
    /// PEM of its key, without a passphrase.
    public var keyFile: String?

    public init(_ urls: String..., caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.init(urls: urls, caFile: caFile, certificateFile: certificateFile, keyFile: keyFile)
    }

    public init(urls: [String], caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.urls = urls
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// - Throws: `misconfigured` for settings that cannot be used at all.
    func login(named name: String) throws(UploadError) -> BrokerLogin {
        try BrokerLogin(
            urls: urls, caFile: caFile, certificateFile: certificateFile, keyFile: keyFile, name: name)
    }
}

extension BrokerAccess: CustomStringConvertible, CustomReflectable {
    /// Safe to log: shows neither user nor password.
    public var description: String { "\(urls.count) broker URL\(urls.count == 1 ? "" : "s")" }

    public var customMirror: Mirror { Mirror(self, children: ["urls": urls.count]) }
}

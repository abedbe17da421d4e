import AsyncHTTPClient
import NIOCore
import NIOSSL
import Uploads

/// An HTTP client that connects to one checked address for one host, whatever the resolver answers later. TLS still verifies the host's name.
/// The client shuts down when the last reference goes.
final class PinnedClient: Sendable {
    let address: NetworkAddress
    /// The number of attempts without an answer when the client was made.
    let misses: Int
    let http: HTTPClient

    init(host: String, address: NetworkAddress, misses: Int, authorities: [NIOSSLCertificate]?) {
        self.address = address
        self.misses = misses
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(30)),
            decompression: .disabled)
        configuration.dnsOverride = [host: address.description]
        configuration.httpVersion = .http1Only
        if let authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(authorities)
            configuration.tlsConfiguration = tls
        }
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        let http = self.http
        Task { try? await http.shutdown() }
    }
}

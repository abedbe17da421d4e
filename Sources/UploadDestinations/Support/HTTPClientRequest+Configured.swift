import AsyncHTTPClient
import NIOHTTP1
import Uploads

extension HTTPClientRequest {
    /// A request with the destination's configured headers and TLS files. A header of the request replaces a configured one of its name.
    init(
        _ method: HTTPMethod, _ url: String, configured: [String: String],
        headers own: [(name: String, value: String)] = [], tls: TLSFiles
    ) throws(UploadError) {
        self.init(url: url)
        self.method = method
        for (name, value) in configured { headers.add(name: name, value: value) }
        for (name, value) in own { headers.replaceOrAdd(name: name, value: value) }
        tlsConfiguration = try tls.configuration()
    }
}

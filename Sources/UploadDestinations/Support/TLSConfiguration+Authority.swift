import Foundation
import NIOSSL
import Uploads

extension TLSConfiguration {
    /// A client that trusts the authorities in a PEM file besides the system's.
    /// - Throws: `misconfigured` when the file cannot be read.
    static func trusting(_ file: String) throws(UploadError) -> TLSConfiguration {
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw UploadError(
                .misconfigured, "the certificate file \(file) cannot be read: correct the destination's caFile")
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.file(file)]
        return tls
    }
}

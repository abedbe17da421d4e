import Foundation
import NIOSSL
import Uploads

/// Files for the TLS connections to a destination, besides the system's authorities.
public struct TLSFiles: Hashable, Sendable {
    /// A PEM file with certificates to trust besides the system's.
    public var authorities: String?
    /// A PEM file with the client's certificate and the intermediate certificates.
    public var certificate: String?
    /// A PEM file with the key of ``certificate``; nil where the certificate's file also holds the key.
    public var key: String?

    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// The TLS configuration. The files are read for each connection, so that renewed files need no restart.
    /// - Returns: nil where the defaults apply.
    /// - Throws: `misconfigured` for a file that cannot be read or has other contents.
    func configuration() throws(UploadError) -> TLSConfiguration? {
        guard authorities != nil || certificate != nil else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities {
            try Self.check(authorities, "caFile")
            tls.additionalTrustRoots = [.file(authorities)]
        }
        if let certificate {
            try Self.check(certificate, "certificateFile")
            try Self.check(key ?? certificate, "keyFile")
            tls.certificateChain = try Self.read(certificate, "certificateFile") { file in
                try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) }
            }
            tls.privateKey = try Self.read(key ?? certificate, "keyFile") { file in
                .privateKey(try NIOSSLPrivateKey(file: file, format: .pem))
            }
        }
        return tls
    }

    private static func check(_ file: String, _ key: String) throws(UploadError) {
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw UploadError(
                .misconfigured, "the file \(file) cannot be read: correct the destination's \(key)")
        }
    }

    private static func read<Value>(
        _ file: String, _ key: String, _ body: (String) throws -> Value
    ) throws(UploadError) -> Value {
        do {
            return try body(file)
        } catch {
            throw UploadError(
                .misconfigured, "the file \(file) holds no PEM that fits: correct the destination's \(key)",
                cause: error)
        }
    }
}

import Foundation

/// An authority, a server certificate for `localhost`, a client certificate, and a second authority that signed neither.
public struct TestCertificates: Sendable {
    public let authority: String
    public let serverCertificate: String
    public let serverKey: String
    public let clientCertificate: String
    public let clientKey: String
    public let otherAuthority: String
    private let directory: String

    /// Makes the certificates in `directory` with openssl.
    public static func make(in directory: String) async throws -> TestCertificates {
        for name in ["authority", "other"] {
            try await openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-keyout", "\(directory)/\(name).key", "-out", "\(directory)/\(name).pem")
        }
        let server = try await make("server", naming: "DNS:localhost", usage: "serverAuth", days: 2, in: directory)
        let client = try await make(
            "client", naming: "DNS:longshore-client", usage: "clientAuth", days: 2, in: directory)
        return TestCertificates(
            authority: "\(directory)/authority.pem", serverCertificate: server.certificate, serverKey: server.key,
            clientCertificate: client.certificate, clientKey: client.key, otherAuthority: "\(directory)/other.pem",
            directory: directory)
    }

    /// Another server certificate.
    /// - Parameters:
    ///   - names: the names in OpenSSL's notation: `DNS:localhost`, `IP:127.0.0.1`.
    ///   - days: the days for which it is valid; with 0 it has expired as soon as it is made.
    public func makeServer(_ name: String, naming names: String, days: Int = 2) async throws -> (
        certificate: String, key: String
    ) {
        try await Self.make(name, naming: names, usage: "serverAuth", days: days, in: directory)
    }

    private static func make(
        _ name: String, naming names: String, usage: String, days: Int, in directory: String
    ) async throws -> (certificate: String, key: String) {
        let path = "\(directory)/\(name)"
        try Data("subjectAltName=\(names)\nextendedKeyUsage=\(usage)\n".utf8)
            .write(to: URL(fileURLWithPath: "\(path).ext"))
        try await openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=\(names.split(separator: ":").last ?? "")", "-keyout", "\(path).key", "-out", "\(path).csr")
        try await openssl(
            "x509", "-req", "-in", "\(path).csr", "-CA", "\(directory)/authority.pem", "-CAkey",
            "\(directory)/authority.key", "-CAcreateserial", "-days", "\(days)", "-extfile", "\(path).ext", "-out",
            "\(path).pem")
        return ("\(path).pem", "\(path).key")
    }

    private static func openssl(_ arguments: String...) async throws {
        try await Spawn.output(of: "/usr/bin/openssl", arguments)
    }
}

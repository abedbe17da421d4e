import Foundation

/// An authority, a server certificate for `localhost`, a client certificate, and an authority that signed neither.
public struct TestCertificates: Sendable {
    public let authority: String
    public let serverCertificate: String
    public let serverKey: String
    public let clientCertificate: String
    public let clientKey: String
    public let otherAuthority: String

    /// Makes them in `directory` with openssl.
    public static func make(in directory: String) async throws -> TestCertificates {
        func path(_ name: String) -> String { "\(directory)/\(name)" }
        func openssl(_ arguments: String...) async throws {
            try await Spawn.output(of: "/usr/bin/openssl", arguments)
        }
        func makeAuthority(_ name: String) async throws {
            try await openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"))
        }
        func makeCertificate(_ name: String, subject: String, usage: String) async throws {
            let extensions = path("\(name).ext")
            try Data("subjectAltName=DNS:\(subject)\nextendedKeyUsage=\(usage)\n".utf8)
                .write(to: URL(fileURLWithPath: extensions))
            try await openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(subject)",
                "-keyout", path("\(name).key"), "-out", path("\(name).csr"))
            try await openssl(
                "x509", "-req", "-in", path("\(name).csr"), "-CA", path("authority.pem"), "-CAkey",
                path("authority.key"), "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out",
                path("\(name).pem"))
        }
        try await makeAuthority("authority")
        try await makeAuthority("other")
        try await makeCertificate("server", subject: "localhost", usage: "serverAuth")
        try await makeCertificate("client", subject: "longshore-client", usage: "clientAuth")
        return TestCertificates(
            authority: path("authority.pem"), serverCertificate: path("server.pem"), serverKey: path("server.key"),
            clientCertificate: path("client.pem"), clientKey: path("client.key"), otherAuthority: path("other.pem"))
    }
}

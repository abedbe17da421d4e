import AsyncHTTPClient
import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Credentials that containers and instances get from the services beside them.
@Suite(.timeLimit(.minutes(10)))
struct CredentialsMetadataTests {
    private static let roles = "/latest/meta-data/iam/security-credentials/"

    /// Long enough for a busy machine.
    private static let limitSeconds: TimeInterval = 30

    private func instance(_ server: CredentialsServer, _ client: HTTPClient) -> InstanceCredentials {
        InstanceCredentials(
            environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url + "/"], client: client,
            limitSeconds: Self.limitSeconds)
    }

    @Test func `a container's agent is asked with its token, and the token's file comes first`() async throws {
        let server = try CredentialsServer { _ in .json("ASIA1") }
        let directory = try TemporaryDirectory()
        try directory.write("Bearer from-file\n", to: "token")
        try await withCredentialsClient { client async throws in
            var environment = [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url + "/creds?a=b",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic from-variable",
            ]
            let first = try await ContainerCredentials(environment: environment, client: client).load()
            #expect(first == CredentialsServer.credentials("ASIA1"))
            environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = directory.path("token")
            _ = try await ContainerCredentials(environment: environment, client: client).load()
            environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = directory.path("missing")
            let missing = await failure(of: ContainerCredentials(environment: environment, client: client))
            #expect(missing?.code == .misconfigured)
            #expect(missing?.message.contains(directory.path("missing")) == true)
        }
        #expect(server.requests.map(\.path) == ["/creds?a=b", "/creds?a=b"])
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic from-variable", "Bearer from-file"])
    }

    @Test func `a relative URI is asked of the agent's own address`() async throws {
        let server = try CredentialsServer { _ in .json("ASIA1", end: nil) }
        try await withCredentialsClient { client async throws in
            let environment = [
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/x",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://elsewhere.example/",
            ]
            let provider = ContainerCredentials(environment: environment, client: client, agent: server.url)
            #expect(try await provider.load() == CredentialsServer.credentials("ASIA1", expiresAt: nil))
            let bad = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ".evil.example/"]
            #expect(await failure(of: ContainerCredentials(environment: bad, client: client))?.code == .misconfigured)
            #expect(try await ContainerCredentials(environment: [:], client: client).load() == nil)
        }
        #expect(server.requests.map(\.path) == ["/v2/credentials/x"])
    }

    @Test func `without TLS only trusted hosts are asked`() async throws {
        for host in [
            "127.0.0.1", "127.8.9.10", "localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
        ] {
            #expect(ContainerCredentials.isTrusted(host), "\(host)")
        }
        for host in [
            "10.0.0.1", "127.0.0.1.evil.example", "evil.example", "169.254.169.254", "[::2]", "0.0.0.0", "127.1", "",
            "[::ffff:10.0.0.1]", "localhost.evil.example",
        ] {
            #expect(!ContainerCredentials.isTrusted(host), "\(host)")
        }
        try await withCredentialsClient { client async throws in
            for url in [
                "http://evil.example/", "http://127.0.0.1@evil.example/", "ftp://127.0.0.1/", "file:///etc/passwd",
                "127.0.0.1",
                "https://",
            ] {
                let provider = ContainerCredentials(
                    environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], client: client)
                #expect(await failure(of: provider)?.code == .misconfigured, "\(url)")
            }
        }
    }

    @Test(arguments: [
        ("500 Oops", "", UploadError.Code.serverFailure), ("403 No", "", .accessDenied), ("429 Slow", "", .rateLimited),
        ("404 Gone", "", .invalidResponse), ("200 OK", "<html>top/secret+0123456789", .invalidResponse),
        ("200 OK", #"{"Code": "AssumeRoleUnauthorizedAccess", "Message": "top/secret+0123456789"}"#, .invalidResponse),
        (
            "200 OK", #"{"AccessKeyId": "a", "SecretAccessKey": "top/secret+0123456789", "Expiration": "soon"}"#,
            .invalidResponse
        ),
        ("200 OK", #"{"AccessKeyId": "a b", "SecretAccessKey": "top/secret+0123456789"}"#, .misconfigured),
        ("200 OK", #"{"AccessKeyId": "", "SecretAccessKey": ""}"#, .invalidResponse),
        ("200 OK", String(repeating: " ", count: 70_000), .invalidResponse),
        ("307 Elsewhere", "", .invalidResponse),
    ])
    func `a bad answer is an error that may pass and tells no secret`(
        status: String, body: String, code: UploadError.Code
    ) async throws {
        let server = try CredentialsServer { _ in CredentialsServer.Answer(status: status, body: body) }
        try await withCredentialsClient { client async throws in
            let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url]
            let error = await failure(of: ContainerCredentials(environment: environment, client: client))
            #expect(error?.code == code)
            #expect(error?.retry == .afterBackoff)
            #expect(error.map { String(reflecting: $0).contains("secret+") } == false)
            #expect(error?.message.contains("64 KiB") == (body.utf8.count > 65_536))
            if body.contains("Unauthorized") {
                #expect(error?.message.contains("AssumeRoleUnauthorizedAccess") == true)
            }
        }
    }

    @Test func `an instance's role is asked for with a session token`() async throws {
        let server = try CredentialsServer { request in
            switch (request.method, request.path) {
            case ("PUT", "/latest/api/token"): .init(status: "200 OK", body: "session-1")
            case ("GET", Self.roles): .init(status: "200 OK", body: "my-role\n")
            case ("GET", Self.roles + "my-role"): .json("ASIA2")
            default: .init(status: "400 What", body: "")
            }
        }
        try await withCredentialsClient { client async throws in
            #expect(try await instance(server, client).load() == CredentialsServer.credentials("ASIA2"))
        }
        #expect(server.requests.count == 3)
        #expect(server.requests[0].headers["content-length"] == "0")
        #expect(server.requests[0].headers["x-aws-ec2-metadata-token-ttl-seconds"] == "60")
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["x-aws-ec2-metadata-token"] == "session-1" })
    }

    @Test func `where no metadata service answers there are no credentials`() async throws {
        let port = try Ports.free()
        let silent = try CredentialsServer { _ in nil }
        try await withCredentialsClient { client async throws in
            for url in ["http://127.0.0.1:\(port)", silent.url] {
                let provider = InstanceCredentials(
                    environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": url], client: client, limitSeconds: 0.1)
                #expect(try await provider.load() == nil)
            }
        }
        #expect(silent.requests.count <= CredentialsExchange.tries)
    }

    @Test(arguments: [("404 None", "200 OK"), ("403 Off", "200 OK"), ("200 OK", "404 None")])
    func `an instance without a role or with its metadata turned off has none`(token: String, roles: String)
        async throws
    {
        let server = try CredentialsServer { request in
            .init(status: request.method == "PUT" ? token : roles, body: "x")
        }
        try await withCredentialsClient { client async throws in
            #expect(try await instance(server, client).load() == nil)
        }
    }

    @Test func `metadata that is turned off is not asked`() async throws {
        let server = try CredentialsServer { _ in .json("ASIA2") }
        try await withCredentialsClient { client async throws in
            let environment = [
                "AWS_EC2_METADATA_DISABLED": "True", "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url,
            ]
            let provider = InstanceCredentials(environment: environment, client: client)
            #expect(try await provider.load() == nil)
            #expect(provider.place.contains("AWS_EC2_METADATA_DISABLED"))
            let bad = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "nowhere"]
            #expect(await failure(of: InstanceCredentials(environment: bad, client: client))?.code == .misconfigured)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a metadata service that fails once is asked again, and its later silence is a failure`() async throws {
        let isOver = Mutex<CredentialsServer.Answer?>(nil)
        let failures = Mutex(0)
        let server = try CredentialsServer { request in
            if let answer = isOver.withLock({ $0 }) { return answer }
            if request.method == "PUT" { return .init(status: "200 OK", body: "session") }
            if request.path == Self.roles { return .init(status: "200 OK", body: "r") }
            let count = failures.withLock { failures in
                failures += 1
                return failures
            }
            return count == 1 ? .init(status: "500 Oops", body: "") : .json("ASIA3")
        }
        try await withCredentialsClient { client async throws in
            let provider = instance(server, client)
            #expect(try await provider.load()?.accessKeyID == "ASIA3")
            isOver.withLock { $0 = .init(status: "503 Busy", body: "") }
            let busy = await failure(of: provider)
            #expect(busy?.code == .serverFailure)
            #expect(busy?.retry == .afterBackoff)
            isOver.withLock { $0 = CredentialsServer.Answer.none }
            let silence = await failure(of: provider)
            #expect(silence?.code == .networkFailure)
            #expect(silence?.retry == .afterBackoff)
        }
    }
}

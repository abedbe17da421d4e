import AsyncHTTPClient
import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Roles that are assumed with a token of another identity provider.
@Suite(.timeLimit(.minutes(10)))
struct CredentialsWebIdentityTests {
    private static let role = "arn:aws:iam::123456789012:role/uploads"

    private static func granted(_ id: String) -> CredentialsServer.Answer {
        CredentialsServer.Answer(
            status: "200 OK",
            body: """
                <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                  <AssumeRoleWithWebIdentityResult>
                    <SubjectFromWebIdentityToken>system:serviceaccount:x</SubjectFromWebIdentityToken>
                    <AssumedRoleUser><Arn>\(role)/s</Arn><AssumedRoleId>AROA:s</AssumedRoleId></AssumedRoleUser>
                    <Credentials>
                      <SessionToken>session/token+==</SessionToken>
                      <SecretAccessKey>top/secret+0123456789</SecretAccessKey>
                      <Expiration>2030-01-01T00:00:00.000Z</Expiration>
                      <AccessKeyId>\(id)</AccessKeyId>
                    </Credentials>
                  </AssumeRoleWithWebIdentityResult>
                  <ResponseMetadata><RequestId>ad4156e9</RequestId></ResponseMetadata>
                </AssumeRoleWithWebIdentityResponse>
                """)
    }

    private static func refused(_ status: String, _ code: String) -> CredentialsServer.Answer {
        CredentialsServer.Answer(
            status: status,
            body: """
                <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
                <Code>\(code)</Code><Message>the-web-token is bad</Message></Error><RequestId>1</RequestId></ErrorResponse>
                """)
    }

    private func environment(_ directory: TemporaryDirectory, _ server: CredentialsServer) -> [String: String] {
        [
            "AWS_WEB_IDENTITY_TOKEN_FILE": directory.path("token"), "AWS_ROLE_ARN": Self.role,
            "AWS_ENDPOINT_URL_STS": server.url,
        ]
    }

    @Test func `the role is assumed with the token that the file holds at that time`() async throws {
        let server = try CredentialsServer { _ in Self.granted("ASIA4") }
        let directory = try TemporaryDirectory()
        try directory.write("the-web-token\n", to: "token")
        try await withCredentialsClient { client async throws in
            var environment = environment(directory, server)
            let provider = WebIdentityCredentials(environment: environment, client: client)
            #expect(try await provider.load() == CredentialsServer.credentials("ASIA4"))
            try directory.write("another+token", to: "token")
            environment["AWS_ROLE_SESSION_NAME"] = "a session"
            _ = try await WebIdentityCredentials(environment: environment, client: client).load()
        }
        let requests = server.requests
        try #require(requests.count == 2)
        #expect(requests[0].method == "POST")
        #expect(requests[0].path == "/", "nothing in the URL: it may be logged")
        #expect(requests[0].headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(requests[0].headers["authorization"] == nil)
        #expect(
            requests[0].body == "Action=AssumeRoleWithWebIdentity"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fuploads&RoleSessionName=longshore"
                + "&Version=2011-06-15&WebIdentityToken=the-web-token")
        #expect(requests[1].body.contains("RoleSessionName=a%20session"))
        #expect(requests[1].body.contains("WebIdentityToken=another%2Btoken"))
    }

    @Test func `a profile may name the role and the token's file`() async throws {
        let server = try CredentialsServer { _ in Self.granted("ASIA5") }
        let directory = try TemporaryDirectory()
        try directory.write("the-web-token", to: "token")
        try directory.write(
            """
            [profile uploads]
            role_arn = \(Self.role)
            web_identity_token_file = \(directory.path("token"))
            role_session_name = from-profile
            """, to: "config")
        try await withCredentialsClient { client async throws in
            let environment = [
                "AWS_PROFILE": "uploads", "AWS_CONFIG_FILE": directory.path("config"), "HOME": directory.path,
                "AWS_ENDPOINT_URL_STS": server.url + "/",
            ]
            let provider = ProfileCredentials(environment: environment, client: client)
            let credentials = try await provider.load()
            #expect(credentials == CredentialsServer.credentials("ASIA5"))
        }
        #expect(server.requests.map { $0.body.contains("RoleSessionName=from-profile") } == [true])
    }

    @Test(arguments: [
        ("400 Bad", "ExpiredTokenException", UploadError.Code.wrongCredentials),
        ("400 Bad", "InvalidIdentityToken", .wrongCredentials), ("403 No", "AccessDenied", .accessDenied),
        ("400 Bad", "IDPCommunicationError", .serverFailure), ("400 Bad", "Throttling", .rateLimited),
        ("403 No", "RegionDisabledException", .misconfigured), ("500 Oops", "InternalFailure", .serverFailure),
    ])
    func `a refusal says what to do and shows no token`(status: String, name: String, code: UploadError.Code)
        async throws
    {
        let server = try CredentialsServer { _ in Self.refused(status, name) }
        let directory = try TemporaryDirectory()
        try directory.write("the-web-token", to: "token")
        try await withCredentialsClient { client async throws in
            let provider = WebIdentityCredentials(environment: environment(directory, server), client: client)
            let error = await failure(of: provider)
            #expect(error?.code == code)
            #expect(error?.retry == .afterBackoff)
            #expect(error?.message.contains(name) == true)
            #expect(error.map { String(reflecting: $0).contains("the-web-token") } == false)
        }
    }

    @Test func `a missing setting is named before a server is asked`() async throws {
        let server = try CredentialsServer { _ in Self.granted("ASIA6") }
        let directory = try TemporaryDirectory()
        let whole = environment(directory, server)
        try await withCredentialsClient { client async throws in
            func message(_ environment: [String: String]) async -> String? {
                await failure(of: WebIdentityCredentials(environment: environment, client: client))?.message
            }
            #expect(await message(whole)?.contains(directory.path("token")) == true, "no token")
            #expect(await message(whole.filter { $0.key != "AWS_ROLE_ARN" })?.contains("AWS_ROLE_ARN") == true)
            #expect(await message(whole.filter { !$0.key.contains("STS") })?.contains("AWS_REGION") == true)
            let other = try await WebIdentityCredentials(environment: ["AWS_ROLE_ARN": "x"], client: client).load()
            #expect(other == nil)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `the service is that of the region`() {
        func url(_ environment: [String: String], _ region: String?) -> String? {
            STSEndpoint(environment, region: region).url
        }
        #expect(url([:], "eu-central-1") == "https://sts.eu-central-1.amazonaws.com/")
        #expect(url(["AWS_REGION": "us-east-2"], "eu-central-1") == "https://sts.us-east-2.amazonaws.com/")
        #expect(url(["AWS_DEFAULT_REGION": "cn-north-1"], nil) == "https://sts.cn-north-1.amazonaws.com.cn/")
        #expect(url(["AWS_REGION": "evil.example/"], nil) == nil)
        #expect(url([:], nil) == nil)
    }
}

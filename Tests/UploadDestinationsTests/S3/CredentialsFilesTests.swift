import AsyncHTTPClient
import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Credentials in the environment and in files.
@Suite(.timeLimit(.minutes(10)))
struct CredentialsFilesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.url(".aws"), withIntermediateDirectories: false)
    }

    private func profile(_ environment: [String: String] = [:]) -> ProfileCredentials {
        // These tests never use the network.
        ProfileCredentials(environment: environment.merging(["HOME": directory.path]) { $1 }, client: .shared)
    }

    @Test func `the environment's credentials are taken`() async throws {
        let environment = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s/+\n", "AWS_SESSION_TOKEN": ""]
        let credentials = try await EnvironmentCredentials(environment: environment).load()
        #expect(credentials == AWSCredentials(accessKeyID: "AKID", secretAccessKey: "s/+"))
        let token = environment.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }
        #expect(try await EnvironmentCredentials(environment: token).load()?.sessionToken == "t")
        let none = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": " "]
        #expect(try await EnvironmentCredentials(environment: none).load() == nil)
    }

    @Test(arguments: [
        ["AWS_ACCESS_KEY_ID": "AKID"], ["AWS_SECRET_ACCESS_KEY": "very-secret"],
        ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "very-secret\nnext"],
        ["AWS_ACCESS_KEY_ID": "AK ID", "AWS_SECRET_ACCESS_KEY": "very-secret"],
    ])
    func `half a key or one that no header can hold is an error without the secret`(
        environment: [String: String]
    ) async {
        let error = await failure(of: EnvironmentCredentials(environment: environment))
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("very-secret") == false)
        #expect(error?.message.contains("AWS_ACCESS_KEY_ID") == true)
    }

    @Test func `credentials never show their secrets`() {
        let credentials = AWSCredentials(
            accessKeyID: "AKID", secretAccessKey: "very-secret", sessionToken: "very-token", expiresAt: .distantFuture)
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: [credentials]), dumped] {
            #expect(text.contains("AKID"))
            #expect(!text.contains("very-"))
        }
    }

    @Test func `both files make up a profile, and the credentials file wins`() async throws {
        try directory.write(
            """
            # comment
            [default]
            aws_access_key_id = DEFAULT
            aws_secret_access_key = default/secret+ ; not part of it

            [other]
              aws_access_key_id=OTHER
              AWS_SECRET_ACCESS_KEY=a=b#c
              aws_session_token = token
            """.replacing("\n", with: "\r\n"), to: ".aws/credentials")
        try directory.write(
            """
            [default]
            aws_access_key_id = FROM-CONFIG
            region = eu-west-1
            [profile "third one"]
            s3 =
                aws_access_key_id = NESTED
                max_concurrent_requests = 20
            aws_access_key_id = THIRD
            aws_secret_access_key = third
            [sso-session x]
            aws_access_key_id = STRAY
            [fourth]
            aws_access_key_id = NOT-A-PROFILE
            """, to: ".aws/config")
        #expect(
            try await profile().load()
                == AWSCredentials(accessKeyID: "DEFAULT", secretAccessKey: "default/secret+"))
        #expect(
            try await profile(["AWS_PROFILE": "other"]).load()
                == AWSCredentials(accessKeyID: "OTHER", secretAccessKey: "a=b#c", sessionToken: "token"))
        #expect(
            try await profile(["AWS_PROFILE": "third one"]).load()
                == AWSCredentials(accessKeyID: "THIRD", secretAccessKey: "third"))
        for name in ["fourth", "sso-session x", "x"] {
            #expect(await failure(of: profile(["AWS_PROFILE": name]))?.code == .misconfigured, "\(name)")
        }
    }

    @Test func `the files may be elsewhere`() async throws {
        try directory.write("[default]\naws_access_key_id=A\naws_secret_access_key=B", to: "elsewhere")
        let credentials = AWSCredentials(accessKeyID: "A", secretAccessKey: "B")
        let path = directory.path("elsewhere")
        #expect(try await profile(["AWS_SHARED_CREDENTIALS_FILE": path]).load() == credentials)
        #expect(try await profile(["AWS_CONFIG_FILE": path]).load() == credentials)
        #expect(try await profile(["AWS_CONFIG_FILE": "~/elsewhere"]).load() == credentials)
    }

    @Test func `no files and no such profile are no credentials, unless the profile was asked for`() async throws {
        #expect(try await profile().load() == nil)
        let error = await failure(of: profile(["AWS_PROFILE": "photos"]))
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("photos") == true)
        #expect(error?.message.contains(directory.path(".aws/credentials")) == true)
        try directory.write("[default]\nregion = x", to: ".aws/config")
        #expect(try await profile().load() == nil)
    }

    @Test(arguments: [
        "credential_process = /bin/keys", "sso_session = corp", "sso_start_url = https://x", "source_profile = base",
        "credential_source = Ec2InstanceMetadata", "role_arn = arn:aws:iam::1:role/x\nsource_profile = base",
        "role_arn = arn:aws:iam::1:role/x\naws_access_key_id = A\naws_secret_access_key = B",
    ])
    func `what a profile wants and is not supported is said, not passed over`(properties: String) async throws {
        try directory.write("[default]\n" + properties, to: ".aws/config")
        let error = await failure(of: profile())
        #expect(error?.code == .misconfigured)
        let name = properties.contains("role_arn") ? "role_arn" : String(properties.prefix { $0 != " " })
        #expect(error?.message.contains(name) == true)
    }

    @Test func `a file that cannot be read, or holds half a key, is an error that may pass`() async throws {
        let broken = await failure(of: profile(["AWS_SHARED_CREDENTIALS_FILE": directory.path]))
        #expect(broken?.code == .misconfigured)
        #expect(broken?.retry == .afterBackoff)
        #expect(broken?.message.contains(directory.path) == true)
        try directory.write("[default]\naws_secret_access_key = very-secret", to: ".aws/credentials")
        let half = await failure(of: profile())
        #expect(half?.code == .misconfigured)
        #expect(half?.retry == .afterBackoff)
        #expect(half?.message.contains("very-secret") == false)
    }

    @Test func `a pipe without a writer and a file without an end do not stop the worker`() async throws {
        mkfifo(directory.path("pipe"), 0o600)
        #expect(try await profile(["AWS_SHARED_CREDENTIALS_FILE": directory.path("pipe")]).load() == nil)
        #expect(await failure(of: profile(["AWS_CONFIG_FILE": "/dev/zero"]))?.code == .misconfigured)
    }

    @Test func `a file that changes while it is used is read again`() async throws {
        try directory.write("[default]\naws_access_key_id=A1\naws_secret_access_key=B", to: ".aws/credentials")
        let cache = CredentialsCache(profile())
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try await cache.current(at: now).accessKeyID == "A1")
        try directory.write("[default]\naws_access_key_id=A2\naws_secret_access_key=B", to: ".aws/credentials")
        #expect(try await cache.current(at: now + 0.5).accessKeyID == "A1", "read at most once a second")
        #expect(try await cache.current(at: now + 1.5).accessKeyID == "A2")
        try directory.write("[default]\naws_access_key_id=A3", to: ".aws/credentials")
        #expect(try await cache.current(at: now + 3).accessKeyID == "A2", "a file half written does no harm")
        try directory.write("[default]\naws_access_key_id=A3\naws_secret_access_key=B", to: ".aws/credentials")
        #expect(try await cache.current(at: now + 5).accessKeyID == "A3")
    }

    @Test func `what the configuration refers to is read again and checked`() async throws {
        let path = directory.path("secret")
        try directory.write("one\n", to: "secret")
        let referenced = ReferencedCredentials(place: "file:\(path)") { () throws(UploadError) in
            AWSCredentials(accessKeyID: "AKID", secretAccessKey: try SmallFile.read(path) ?? "")
        }
        let cache = CredentialsCache(referenced)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try await cache.current(at: now).secretAccessKey == "one")
        try directory.write("two\n", to: "secret")
        #expect(try await cache.current(at: now + 2).secretAccessKey == "two")
        try FileManager.default.removeItem(atPath: path)
        let error = await failure(of: referenced)
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains(path) == true)
        let both = ReferencedCredentials { () throws(UploadError) in
            AWSCredentials(accessKeyID: "", secretAccessKey: "")
        }
        let none = await #expect(throws: UploadError.self) { try await CredentialsCache(both).current() }
        #expect(none?.code == .notAuthenticated)
    }
}

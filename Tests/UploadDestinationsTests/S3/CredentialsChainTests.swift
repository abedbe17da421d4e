import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(10)))
struct CredentialsChainTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// An environment without credentials, in which no outside service is asked.
    private var empty: [String: String] { ["HOME": directory.path, "AWS_EC2_METADATA_DISABLED": "true"] }

    @Test func `the first source that has credentials gives them`() async throws {
        let server = try CredentialsServer { _ in .json("FROM-CONTAINER") }
        try directory.write("[default]\naws_access_key_id=FROM-PROFILE\naws_secret_access_key=B", to: "credentials")
        var environment = empty
        try await withCredentialsClient { client async throws in
            func id() async throws -> String? {
                try await CredentialsChain.aws(environment: environment, client: client).load()?.accessKeyID
            }
            environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url
            #expect(try await id() == "FROM-CONTAINER")
            environment["AWS_SHARED_CREDENTIALS_FILE"] = directory.path("credentials")
            #expect(try await id() == "FROM-PROFILE")
            environment["AWS_ACCESS_KEY_ID"] = "FROM-ENVIRONMENT"
            environment["AWS_SECRET_ACCESS_KEY"] = "x"
            #expect(try await id() == "FROM-ENVIRONMENT")
        }
        #expect(server.requests.count == 1)
    }

    @Test func `a source that is broken ends the search`() async throws {
        let server = try CredentialsServer { _ in .json("FROM-CONTAINER") }
        var environment = empty
        environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url
        environment["AWS_PROFILE"] = "mistyped"
        try await withCredentialsClient { client async throws in
            let error = await failure(of: CredentialsChain.aws(environment: environment, client: client))
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("mistyped") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `when there are none, every place that was looked at is named`() async throws {
        try await withCredentialsClient { client async throws in
            let error = await failure(of: CredentialsChain.aws(environment: empty, client: client))
            #expect(error?.code == .notAuthenticated)
            for place in [
                "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", directory.path(".aws/credentials"),
                "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EC2_METADATA_DISABLED", "accessKeyId",
            ] {
                #expect(error?.message.contains(place) == true, "\(place)")
            }
        }
    }

    @Test func `what the chain found in a file is read again`() async throws {
        var environment = empty
        environment["AWS_SHARED_CREDENTIALS_FILE"] = directory.path("credentials")
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        try await withCredentialsClient { client async throws in
            let cache = CredentialsCache(CredentialsChain.aws(environment: environment, client: client))
            for number in 0..<3 {
                try directory.write(
                    "[default]\naws_access_key_id=A\(number)\naws_secret_access_key=B", to: "credentials")
                let id = try await cache.current(at: now + Double(number) * 2).accessKeyID
                #expect(id == "A\(number)")
            }
        }
    }

    @Test func `an upload that lasts longer than its credentials signs each request with good ones`() async throws {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let time = Mutex(start)
        let issued = Mutex<[String: Date]>([:])
        let server = try CredentialsServer { _ in
            let now = time.withLock { $0 }
            let id = issued.withLock { issued in
                let id = "ASIA\(issued.count)"
                issued[id] = now + 900
                return id
            }
            return .json(id, end: (now + 900).formatted(.iso8601))
        }
        var environment = empty
        environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url
        try await withCredentialsClient { client async throws in
            let cache = CredentialsCache(CredentialsChain.aws(environment: environment, client: client))
            let signer = SigV4Signer(region: "eu-central-1")
            var used: Set<String> = []
            for part in 1...240 {
                let now = start + Double(part) * 30
                time.withLock { $0 = now }
                let credentials = try await cache.current(at: now)
                let added = signer.sign(
                    SignableRequest(
                        method: "PUT", host: "b.s3.example", path: "/k",
                        query: [.init("partNumber", "\(part)"), .init("uploadId", "u")]),
                    payload: .unsigned, credentials: credentials, at: now)
                let end = issued.withLock { $0[credentials.accessKeyID] }
                #expect(try #require(end) >= now + 60, "part \(part) is signed with what is about to end")
                #expect(added.first(name: "x-amz-security-token") == credentials.sessionToken)
                #expect(added.first(name: "authorization")?.contains("Credential=\(credentials.accessKeyID)/") == true)
                used.insert(credentials.accessKeyID)
            }
            // Two hours of signing: each key lasts a quarter of an hour, and is replaced 1 to 5 minutes before its end.
            #expect((8...13).contains(used.count))
            #expect(server.requests.count <= used.count + 1)
        }
    }
}

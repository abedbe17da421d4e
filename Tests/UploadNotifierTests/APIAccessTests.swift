import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct APIAccessTests {
    static let token = "0123456789abcdef"

    @Test func `with a token, only a request that carries it is admitted, and health checks need none`() async throws {
        let house = try await APIHouse(access: .token(Self.token))
        try await house.with { client in
            for header in [nil, "Bearer", "Bearer x", "Basic \(Self.token)", "Bearer \(Self.token)0", Self.token] {
                let headers: HTTPFields = header.map { [.authorization: $0] } ?? [:]
                let reply = try await client.ask(.get, "/v1/jobs", headers: headers)
                #expect(reply.status == 401 && reply.problem == "not-authenticated", "\(header ?? "nothing")")
                #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
                #expect(!reply.text.contains(Self.token))
            }
            let headers: HTTPFields = [.authorization: "bearer \(Self.token)"]
            #expect(try await client.ask(.get, "/v1/jobs", headers: headers).status == 200)
            #expect(try await client.ask(.get, "/nothing").status == 401)
            #expect(try await client.ask(.get, "/healthz").status == 200)
        }
    }

    @Test func `a page of another origin may not use the API, with any body`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.with { client in
            for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
                let reply = try await client.ask(
                    .post, "/v1/jobs/\(job.id)/cancel", headers: [.origin: origin, .contentType: "text/plain"])
                #expect(reply.status == 403 && reply.problem == "foreign-page")
            }
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test(arguments: ["localhost", "localhost:9700", "127.0.0.1:9700", "127.1.2.3", "[::1]:9700", "[::1]", "LOCALHOST"])
    func `names of this host are let in without a token`(host: String) {
        #expect(APIAccess.namesThisHost(host))
    }

    @Test(arguments: [
        nil, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9700", "[::1].evil.example", "[::2]",
        "10.0.0.1", "127.0.0.256", "127.0.0", "0.0.0.0",
    ])
    func `other names are not, for a page could have any name lead here`(host: String?) {
        #expect(!APIAccess.namesThisHost(host))
    }
}

import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(10)))
struct HTTPDigestTests {
    /// The example of RFC 7616, section 3.9.1.
    private static let login = HTTPDigestLogin(user: "Mufasa", password: "Circle of Life")
    private static let offered: HTTPHeaders = [
        "WWW-Authenticate": """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """,
        "www-authenticate": """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """,
    ]

    private func answer(_ challenge: HTTPDigestChallenge) -> String {
        challenge.authorization(
            Self.login, .GET, "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    }

    @Test func `the answers are those of the specification`() throws {
        let challenges = AuthenticationChallenge.all(in: Self.offered).compactMap(HTTPDigestChallenge.init)
        #expect(challenges.map(\.algorithm) == [.md5, .sha256])
        #expect(answer(challenges[0]).contains(#"response="8ca523f5e9506fed4657c9700eebdbec""#))
        let best = try #require(HTTPDigestChallenge.best(of: Self.offered))
        let answer = answer(best)
        #expect(
            answer.contains(#"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1""#))
        for field in [
            #"username="Mufasa""#, "algorithm=SHA-256", "nc=00000001", "qop=auth", #"uri="/dir/index.html""#,
            #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
        ] { #expect(answer.contains(field), "\(answer)") }
    }

    /// The example of RFC 2617, section 3.5, without the count of uses, as in RFC 2069.
    @Test func `a server that counts nothing gets the old answer`() throws {
        let challenge = try #require(
            HTTPDigestChallenge.best(of: ["www-authenticate": #"digest REALM="r" , nonce = "n""#]))
        let answer = challenge.authorization(
            HTTPDigestLogin(user: "ü\"", password: "p"), .PUT, "/a", count: 7, clientNonce: "c")
        let hash = HTTPDigestChallenge.Algorithm.md5.hash
        #expect(answer.contains("response=\"\(hash("\(hash("ü\":r:p")):n:\(hash("PUT:/a"))"))\""))
        #expect(answer.contains("username*=UTF-8''%C3%BC%22"))
        #expect(!answer.contains("qop") && !answer.contains("nc=") && !answer.contains("cnonce"))
    }

    @Test func `a quote in the realm does not end it in the answer, whatever accent follows`() throws {
        let challenge = try #require(
            HTTPDigestChallenge.best(of: ["www-authenticate": "Digest realm=\"a\\\"\u{301}\", nonce=\"n\""]))
        let answer = challenge.authorization(
            HTTPDigestLogin(user: "u", password: "p"), .PUT, "/a", count: 1, clientNonce: "c")
        #expect(answer.utf8.firstRange(of: "realm=\"a\\\"\u{301}\",".utf8) != nil, "\(answer)")
    }

    @Test(arguments: [
        ("Basic realm=\"a, b\", Digest realm=\"c\\\"d\", nonce=x, Bearer", ["basic", "digest", "bearer"]),
        ("Negotiate, NTLM TlRMTVNTUAAB==", ["negotiate", "ntlm"]), ("", []), (",,=\"\"", []),
        ("Digest realm=\"never ends", ["digest"]),
    ])
    func `several challenges of one header are told apart`(text: String, schemes: [String]) {
        let challenges = AuthenticationChallenge.parse(text)
        #expect(challenges.map(\.scheme) == schemes)
        for challenge in challenges where challenge.scheme == "digest" && challenge.parameters.count == 2 {
            #expect(challenge.parameters == ["realm": "c\"d", "nonce": "x"])
        }
    }

    @Test(arguments: [
        #"Digest realm="r", nonce="n", algorithm=SHA-512-256"#, #"Digest realm="r", nonce="n", qop="auth-int""#,
        #"Digest realm="r""#, #"Digest realm="r", nonce="""#, #"Basic realm="r", nonce="n""#,
    ])
    func `what cannot be answered is no challenge`(text: String) {
        #expect(HTTPDigestChallenge.best(of: ["www-authenticate": text]) == nil)
    }

    @Test func `noise is read to its end`() {
        var fuzz = Fuzz(for: "challenges")
        let pieces = [" ", ",", "=", "\"", "\\", "\t", "Digest", "realm", "nonce", "ü", ""]
        for _ in 0..<Fuzz.inputCount {
            let text = (0..<fuzz.number(in: 0...40)).map { _ in fuzz.pick(pieces) }.joined()
            #expect(AuthenticationChallenge.parse(text).count <= text.count, "seed \(fuzz.seed)")
        }
    }

    private func bench(
        _ kind: WebDAVServer.Kind, _ body: (WebDAVBench, WebDAVConfiguration) async throws -> Void
    ) async throws {
        let server = try await WebDAVServer.start(kind, password: "swordfish-1234", usesDigest: true)
        try await WebDAVBench.with(server) { bench in
            var configuration = bench.configuration
            configuration.digest = HTTPDigestLogin(user: "tester", password: "swordfish-1234")
            try await body(bench, configuration)
        }
        try await server.stop()
    }

    @Test(arguments: [WebDAVServer.Kind.apache, .wsgidav])
    func `files go up with Digest, and no large body twice`(kind: WebDAVServer.Kind) async throws {
        try await bench(kind) { bench, configuration in
            try await bench.conformance(configuration).edgeSizesArrive()
            try await bench.conformance(configuration).manyAtOnceArrive()
            bench.proxy.forget()
            try await bench.conformance(configuration).carry(bench.job(3 << 20, key: "with space +&ü"))
            #expect(bench.stored("with space +&ü")?.count == 3 << 20)
            #expect(bench.methods.filter { $0 == "PUT" }.count == 1)
            for request in bench.proxy.requests {
                #expect(request.request.header("authorization")?.hasPrefix("Basic") != true)
            }
            // The same server through the driver http.
            var web = HTTPConfiguration(url: configuration.url)
            web.digest = configuration.digest
            let destination = HTTPDestination(web, client: bench.client)
            var conformance = bench.conformance(configuration)
            conformance.destination = { destination }
            bench.proxy.forget()
            try await conformance.carry(bench.job(3 << 20, key: "plain?"))
            #expect(bench.stored("plain?")?.count == 3 << 20)
            #expect(bench.methods == ["HEAD", "PUT"], "the nonce is fetched without the body")
        }
    }

    @Test(arguments: [WebDAVServer.Kind.apache, .wsgidav])
    func `a wrong password, and one that goes out as Basic, are told`(kind: WebDAVServer.Kind) async throws {
        try await bench(kind) { bench, configuration in
            var wrong = configuration
            wrong.digest?.password = "jellyfish-1234"
            let job = try bench.job(3 << 20)
            let session = try await bench.destination(wrong).open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            #expect(error?.code == .notAuthenticated && error?.retry == .never, "\(error as Any)")
            #expect(error?.message.contains("it asks for Digest") == true, "\(error?.message ?? "")")
            let shown = "\(error as Any) \(error?.response as Any)"
            #expect(!shown.contains("jellyfish"))
            #expect(bench.methods.filter { $0 == "PUT" }.count == 1)
            wrong.digest = nil
            wrong.headers = ["Authorization": "Basic " + Data("tester:swordfish-1234".utf8).base64EncodedString()]
            let basic = await #expect(throws: UploadError.self) {
                _ = try await bench.destination(wrong).probe(job, state: nil)
            }
            #expect(basic?.message.contains("authentication: digest") == true, "\(basic?.message ?? "")")
        }
    }

    /// Apache answers 413 to a body larger than `LimitRequestBody`.
    @Test func `a file beyond the server's limit is refused for good`() async throws {
        let server = try await WebDAVServer.start(.apache, bodyBytesMaximum: 1 << 20)
        try await WebDAVBench.with(server) { bench in
            try await bench.conformance().carry(bench.job(1 << 20, key: "fits"))
            let job = try bench.job(1 << 20 | 1)
            let session = try await bench.destination().open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            #expect(error?.code == .rejected && error?.retry == .never && error?.response?.status == 413)
        }
        try await server.stop()
    }
}

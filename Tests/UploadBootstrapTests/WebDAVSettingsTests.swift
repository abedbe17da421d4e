import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct WebDAVSettingsTests: DestinationSettingsSuite {
    static let driver = "webdav"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> WebDAVSettings {
        try #require(try driver(lines) as? WebDAVSettings)
    }

    @Test func `a url is all that a server needs`() throws {
        #expect(
            try settings("url: https://dav.example/files/").configuration
                == WebDAVConfiguration(url: "https://dav.example/files/"))
    }

    @Test func `every key has its effect`() async throws {
        let lines = """
            url: https://dav.example/files/
            temporaryFolder: .longshore
            username: ann
            password: env:TOKEN
            headers: {X-Team: blue}
            caFile: /etc/ca.pem
            certificateFile: /etc/client.pem
            keyFile: /etc/client.key
            proxy: http://proxy.example:3128
            answerTimeout: 5s
            stallTimeout: 7s
            limits: {jobs: 3}
            """
        var expected = WebDAVConfiguration(url: "https://dav.example/files/")
        expected.temporaryFolder = ".longshore"
        expected.tls = TLSFiles(
            authorities: "/etc/ca.pem", certificate: "/etc/client.pem", key: "/etc/client.key")
        expected.times.firstByteSeconds = 5
        expected.times.stallSeconds = 7
        let dav = try settings(lines)
        #expect(dav.configuration == expected)
        #expect(dav.web.route.proxy == "http://proxy.example:3128")
        let name = DestinationName(unchecked: "a")
        #expect(
            try configuration(lines).headers(of: name, dav.web)
                == ["Authorization": "Basic YW5uOnN3b3JkZmlzaA==", "X-Team": "blue"])
        let registry = try DestinationRegistry(try configuration(lines))
        let destination = try registry.destination(for: .named(name, key: "k"))
        #expect(destination?.driver == "webdav")
        #expect(destination?.limits == TransferLimits(jobs: 3))
        #expect(registry.sweepable.map(\.name) == [name])
        #expect(try configuration(lines).destinationSummaries.map(\.driver) == ["webdav"])
        try await registry.shutdown()
    }

    @Test func `without a folder for unfinished files there is nothing to sweep`() async throws {
        let registry = try DestinationRegistry(try configuration("url: https://dav.example/files/"))
        #expect(registry.sweepable.isEmpty)
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("temporaryFolder: x", "'url' is missing"), ("url: https://h/a", "expected a URL that ends in '/'"),
        ("url: https://h/\nbucket: b", "is no key of driver 'webdav' (but of 's3')"),
        ("url: https://h/\ntemporaryFolder: ../x", "expected a path below the url"),
        ("url: https://h/\npassword: env:NOT_SET_ANYWHERE\nusername: x", "password"),
        ("url: https:///x/", "is no URL of a folder"), ("url: https://h/\nkeyFile: /x", "goes with certificateFile"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}

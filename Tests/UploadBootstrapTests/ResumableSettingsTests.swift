import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct ResumableSettingsTests: DestinationSettingsSuite {
    static let driver = "resumable"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> ResumableSettings {
        try #require(try driver(lines) as? ResumableSettings)
    }

    @Test func `a url is all that a server needs`() throws {
        #expect(
            try settings("url: https://up.example/files/").configuration
                == ResumableConfiguration(url: "https://up.example/files/"))
        #expect(ResumableConfiguration(url: "").partBytes == 32 << 20)
    }

    @Test func `every key has its effect`() async throws {
        let lines = """
            url: https://up.example/drop?to=here
            uploadOrigins: [https://one.example, https://two.example]
            keyInURL: false
            method: PUT
            interop: 6
            contentDigest: true
            partSize: 64MiB
            bearerToken: env:TOKEN
            headers: {X-Team: blue}
            caFile: /etc/ca.pem
            proxy: http://proxy.example:3128
            answerTimeout: 5s
            stallTimeout: 7s
            limits: {jobs: 3, parts: 9}
            """
        var expected = ResumableConfiguration(url: "https://up.example/drop?to=here")
        expected.uploadOrigins = ["https://one.example", "https://two.example"]
        expected.hasKeyInURL = false
        expected.method = .put
        expected.interop = .v6
        expected.sendsDigests = true
        expected.partBytes = 64 << 20
        expected.tls.authorities = "/etc/ca.pem"
        expected.times.firstByteSeconds = 5
        expected.times.stallSeconds = 7
        let resumable = try settings(lines)
        #expect(resumable.configuration == expected)
        #expect(resumable.web.route.proxy == "http://proxy.example:3128")
        let name = DestinationName(unchecked: "a")
        #expect(
            try configuration(lines).headers(of: name, resumable.web)
                == ["Authorization": "Bearer swordfish", "X-Team": "blue"])
        let registry = try DestinationRegistry(try configuration(lines))
        let destination = try registry.destination(for: .named(name, key: "k"))
        #expect(destination?.driver == "resumable")
        #expect(destination?.limits == TransferLimits(jobs: 3, parts: 1))
        #expect(try configuration(lines).destinationSummaries.map(\.driver) == ["resumable"])
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("partSize: 8MiB", "'url' is missing"), ("url: https://h/\npartSize: 9MiB", "expected a multiple of 8MiB"),
        ("url: https://h/\nbucket: b", "is no key of driver 'resumable' (but of 's3')"),
        ("url: https://h/\nanswersHead: true", "is no key of driver 'resumable' (but of 'http')"),
        ("url: https://h/\nuploadOrigins: [ftp://h]", "expected a URL that begins with"),
        ("url: https://h/\nbearerToken: env:NOT_SET_ANYWHERE", "bearerToken"),
        ("url: https:///", "is no URL such as"),
        ("url: https://h/drop", "expected a URL that ends in '/'"),
        ("url: https://h/\ninterop: 4", "expected 3, 5, 6, 7 or 8"),
        ("url: https://h/\nmethod: PATCH", "expected PUT or POST"),
        ("url: https://h/\nconcatenation: true", "of 'tus'"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}

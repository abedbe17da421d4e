import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct TusSettingsTests: DestinationSettingsSuite {
    static let driver = "tus"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> TusSettings { try #require(try driver(lines) as? TusSettings) }

    @Test func `a url is all that a server needs`() throws {
        #expect(
            try settings("url: https://tus.example/files").configuration
                == TusConfiguration(url: "https://tus.example/files"))
        #expect(TusConfiguration(url: "").partBytes == 32 << 20)
    }

    @Test func `every key has its effect`() async throws {
        let lines = """
            url: https://tus.example/files/
            uploadOrigins: [https://one.example, https://two.example]
            uploadChecksum: false
            concatenation: true
            partSize: 64MiB
            bearerToken: env:TOKEN
            headers: {X-Team: blue}
            caFile: /etc/ca.pem
            proxy: http://proxy.example:3128
            connectTimeout: 3s
            answerTimeout: 5s
            stallTimeout: 7s
            minimumBytesPerSecond: 0
            limits: {jobs: 3, parts: 9}
            """
        var expected = TusConfiguration(url: "https://tus.example/files/")
        expected.uploadOrigins = ["https://one.example", "https://two.example"]
        expected.sendsChecksums = false
        expected.concatenates = true
        expected.partBytes = 64 << 20
        expected.tls.authorities = "/etc/ca.pem"
        expected.times.firstByteSeconds = 5
        expected.times.stallSeconds = 7
        expected.times.bytesPerSecondMinimum = 0
        let tus = try settings(lines)
        #expect(tus.configuration == expected)
        #expect(tus.web.route == HTTPRoute(proxy: "http://proxy.example:3128", connectSeconds: 3))
        let name = DestinationName(unchecked: "a")
        #expect(
            try configuration(lines).headers(of: name, tus.web)
                == ["Authorization": "Bearer swordfish", "X-Team": "blue"])
        let registry = try DestinationRegistry(try configuration(lines))
        let destination = try registry.destination(for: .named(name, key: "k"))
        #expect(destination?.driver == "tus")
        #expect(destination?.limits == TransferLimits(jobs: 3, parts: 9))
        #expect(try configuration(lines).destinationSummaries.map(\.driver) == ["tus"])
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("partSize: 8MiB", "'url' is missing"), ("url: https://h/\npartSize: 9MiB", "expected a multiple of 8MiB"),
        ("url: https://h/\nbucket: b", "is no key of driver 'tus' (but of 's3')"),
        ("url: https://h/\nanswersHead: true", "is no key of driver 'tus' (but of 'http')"),
        ("url: https://h/\nuploadOrigins: [ftp://h]", "expected a URL that begins with"),
        ("url: https://h/\nbearerToken: env:NOT_SET_ANYWHERE", "bearerToken"),
        ("url: https:///x", "is no URL such as"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}

import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct BridgeSettingsTests: DestinationSettingsSuite {
    static let driver = "bridge"
    private static let needed = "url: https://bridge.example/\nappId: app\npassword: env:PASSWORD\n"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> BridgeSettings {
        try #require(try driver(lines) as? BridgeSettings)
    }

    @Test func `an account is all that Bridge needs`() throws {
        let bridge = try settings(Self.needed + "email: me@example.org")
        var expected = BridgeConfiguration(
            url: "https://bridge.example/", appID: "app", account: .email("me@example.org"), password: "")
        #expect(bridge.configuration == expected)
        expected.account = .externalID("id-1")
        #expect(try settings(Self.needed + "externalId: id-1").configuration == expected)
        expected.account = .phone(number: "+49123", region: "DE")
        #expect(try settings(Self.needed + "phone: \"+49123\"\nphoneRegion: DE").configuration == expected)
    }

    @Test func `every key has its effect`() async throws {
        let lines =
            Self.needed + """
                email: me@example.org
                encrypted: false
                zipped: false
                waitForValidation: true
                askAgain: 9s
                headers: {User-Agent: Mine/7}
                caFile: /etc/ca.pem
                proxy: http://proxy.example:3128
                answerTimeout: 5s
                stallTimeout: 7s
                limits: {jobs: 3}
                """
        let bridge = try settings(lines)
        #expect(!bridge.configuration.isEncrypted && !bridge.configuration.isZipped)
        #expect(bridge.configuration.waitsForValidation && bridge.configuration.askAgainSeconds == 9)
        #expect(bridge.configuration.tls == TLSFiles(authorities: "/etc/ca.pem"))
        #expect(bridge.configuration.times.firstByteSeconds == 5 && bridge.configuration.times.stallSeconds == 7)
        #expect(bridge.web.route.proxy == "http://proxy.example:3128")
        let name = DestinationName(unchecked: "a")
        #expect(try configuration(lines).headers(of: name, bridge.web) == ["User-Agent": "Mine/7"])
        let registry = try DestinationRegistry(try configuration(lines))
        let destination = try registry.destination(for: .named(name, key: "k"))
        #expect(destination?.driver == "bridge" && destination?.limits == TransferLimits(jobs: 3))
        #expect(try configuration(lines).destinationSummaries.map(\.driver) == ["bridge"])
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("appId: a", "'url' is missing"), ("url: https://h/\npassword: p\nemail: e", "'appId' is missing"),
        ("url: https://h/\nappId: a\nemail: e", "'password' is missing"), (needed, "'email' is missing"),
        (needed + "email: e\nphone: \"1\"", "give one of email, externalId and phone"),
        (needed + "email: e\nexternalId: i", "give one of email, externalId and phone"),
        (needed + "email: e\nbearerToken: t", "Bridge signs in by email"),
        (needed + "email: e\nbucket: b", "is no key of driver 'bridge' (but of 's3')"),
        ("url: https://h\nappId: a\npassword: p\nemail: e", "expected a URL that ends in '/'"),
        ("url: https://h/\nappId: a\nemail: e\npassword: env:NOT_SET_ANYWHERE", "password"),
        ("url: https:///\nappId: a\nemail: e\npassword: p", "is no URL such as"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}

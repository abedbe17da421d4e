import Testing
import UploadNotifier

@testable import UploadBootstrap

@Suite struct APIAccessConfigurationTests {
    private func access(_ http: String, token: String? = nil) throws -> APIAccess {
        var input = ConfigurationInput()
        input.set("notifier.http", to: http, flag: "--http")
        input.set("notifier.token", to: token, flag: "--token")
        return try UploadConfiguration(input).apiAccess()
    }

    @Test(arguments: ["127.0.0.1:0", "localhost:9700", "[::1]:9700", "127.0.0.53:9700", "off"])
    func `on loopback no token is needed`(address: String) throws {
        guard case .loopback = try access(address) else {
            Issue.record("\(address) is loopback")
            return
        }
    }

    @Test(arguments: ["0.0.0.0:9700", "[::]:9700", "10.0.0.1:9700", "localhost.example:9700"])
    func `elsewhere one is, and the error says what to do`(address: String) throws {
        let error = #expect(throws: ProgramError.self) { try access(address) }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.contains("set notifier.token") == true)
        guard case .tokens = try access(address, token: "0123456789abcdef") else {
            Issue.record("a token was given")
            return
        }
    }

    @Test(arguments: ["short", "0123456789 abcdef", "0123456789abcdé"])
    func `a token that is short or cannot stand in a header is refused without being shown`(token: String) {
        let error = #expect(throws: ProgramError.self) { try access("0.0.0.0:1", token: token) }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.contains(token) == false)
    }

    private func tokens(_ yaml: String, environment: [String: String] = [:]) throws -> APIAccess {
        // The files are removed with the object.
        let files = try Files()
        defer { withExtendedLifetime(files) {} }
        return try UploadConfiguration(try files.input(yaml, environment: environment)).apiAccess()
    }

    @Test func `named tokens have a role, perhaps queues, and two texts while one replaces the other`() throws {
        let access = try tokens(
            """
            notifier: {http: "0.0.0.0:9700"}
            tokens:
              ada: {token: env:ADA, role: administer}
              pat: {token: "pat-0123456789abc", role: operate, queues: [video, photos]}
            """, environment: ["ADA": "ada-new-0123456789\nada-old-0123456789"])
        guard case .tokens(let all) = access else {
            Issue.record("tokens were given")
            return
        }
        #expect(all.map(\.name) == ["ada", "pat"] && all.map(\.role) == [.administer, .operate])
        #expect(all.map(\.queues) == [nil, ["video", "photos"]])
    }

    @Test func `variables alone make a token`() throws {
        let access = try tokens(
            "{}", environment: ["UPLOAD_TOKENS_ADA_ROLE": "read", "UPLOAD_TOKENS_ADA_TOKEN": "0123456789abcdef"])
        guard case .tokens(let all) = access else {
            Issue.record("a token was given")
            return
        }
        #expect(all.map(\.name) == ["ada"] && all.map(\.role) == [.read])
    }

    @Test(arguments: [
        ("tokens: {ada: {role: read}}", "'token' is missing"),
        ("tokens: {ada: {token: \"0123456789abcdef\"}}", "'role' is missing"),
        ("tokens: {ada: {token: \"0123456789abcdef\", role: root}}", "expected read, operate or administer"),
        ("tokens: {ada: {token: short, role: read}}", "at least 16"),
        ("tokens: {ada: {token: \"env:NOT_SET\", role: read}}", "NOT_SET is not set"),
        (
            "tokens: {ada: {token: \"0123456789abcdef\", role: read}, bo: {token: \"0123456789abcdef\", role: operate}}",
            "tokens.bo.token: has the same text as ada"
        ),
    ])
    func `a token that is not whole is refused, with its place`(yaml: String, problem: String) throws {
        let error = #expect(throws: ProgramError.self) { try tokens(yaml) }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("0123456789abcdef") == false)
    }
}

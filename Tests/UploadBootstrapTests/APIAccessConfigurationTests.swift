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
        guard case .token = try access(address, token: "0123456789abcdef") else {
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
}

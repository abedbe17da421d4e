import Testing

@testable import UploadBootstrap

struct SecretTests {
    @Test func `a secret comes from a variable, a file or the text itself`() throws {
        let files = try Files()
        let path = try files.write("secret", "swordfish\n")
        #expect(try Secret("env:A").resolve(["A": "open"], key: "k") == "open")
        #expect(try Secret("file:\(path)").resolve([:], key: "k") == "swordfish")
        #expect(try Secret("plain").resolve([:], key: "k") == "plain")
    }

    @Test func `a credential is a file of the unit's, alone or of a whole directory`() throws {
        let files = try Files()
        try files.write("broker", "swordfish\n")
        try files.write("longshore_hook", "open")
        let environment = ["CREDENTIALS_DIRECTORY": files.path]
        #expect(try Secret("credential:broker").resolve(environment, key: "k") == "swordfish")
        #expect(try Secret("credential:hook").resolve(environment, key: "k") == "open")
        for name in ["../broker", "", "other", ".."] {
            let error = #expect(throws: ProgramError.self) {
                try Secret("credential:\(name)").resolve(environment, key: "upload.yaml:1: brokerPassword")
            }
            #expect(error?.description.contains("/etc/longshore/credentials/") == true)
        }
        #expect("\(Secret("credential:broker"))" == "credential:broker")
    }

    @Test(arguments: ["env:NOT_SET", "file:/nowhere/at/all"])
    func `a secret that is not there is an error of the configuration with its key`(text: String) {
        let error = #expect(throws: ProgramError.self) { try Secret(text).resolve([:], key: "upload.yaml:3: x.secret") }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.hasPrefix("upload.yaml:3: x.secret: ") == true)
    }

    @Test func `all secrets that a program misses are named at once, each with its place`() throws {
        let files = try Files()
        let yaml = """
            brokerPassword: env:NO_BROKER
            destinations:
              a: {driver: http, url: https://h.example/, username: u, password: env:NO_A}
              b: {driver: s3, bucket: b, accessKeyId: env:NO_ID, secretAccessKey: 'file:/nowhere'}
              c: {driver: http, url: https://h.example/, bearerToken: env:THERE}
            delegates: {d: {kind: webhook, url: https://h.example/, secret: env:NO_D}}
            """
        let configuration = try UploadConfiguration(try files.input(yaml, environment: ["THERE": "x"]))
        let error = #expect(throws: ProgramError.self) {
            try configuration.checkSecrets(of: ["brokerPassword", "destinations"])
        }
        let problems = try #require(error).problems
        #expect(problems.allSatisfy { $0.hasPrefix("upload.yaml:") }, "\(problems)")
        for (problem, expected) in zip(problems, ["NO_BROKER", "NO_A", "NO_ID", "/nowhere"]) {
            #expect(problem.contains(expected), "\(problems)")
        }
        #expect(problems.count == 4)
        #expect(throws: ProgramError.self) { try configuration.checkSecrets(of: ["delegates"]) }
        #expect(throws: Never.self) { try configuration.checkSecrets(of: ["notifier"]) }
    }

    @Test func `nothing that a program was configured with is printed with it`() throws {
        let files = try Files()
        var input = try files.input("brokerPassword: swordfish", environment: ["HOOK": "swordfish"])
        input.set("broker", to: "amqp://u:swordfish@h", flag: "--broker")
        let settings = try Settings(input)
        struct Holder { let input: ConfigurationInput, settings: Settings }
        var dumped = ""
        dump(Holder(input: input, settings: settings), to: &dumped)
        for text in ["\(input)", "\(settings)", "\(Holder(input: input, settings: settings))", dumped] {
            #expect(!text.contains("swordfish"), "\(text)")
        }
    }

    @Test func `no way of printing shows it`() {
        let secret = Secret("swordfish")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!text.contains("swordfish"))
        }
    }

    @Test(arguments: [
        ("https://h/p?sig=abc", "https://h/p?***"), ("https://u:p@h/p", "https://u:***@h/p"), ("amqp://h", "amqp://h"),
        ("amqp://u:a:b@c@h/", "amqp://u:***@h/"), ("https://h/p?\u{301}sig=abc", "https://h/p?***"),
        ("amqp://u:\u{301}a@\u{301}h/", "amqp://u:***@\u{301}h/"),
    ])
    func `URLs are shown without password and query`(url: String, shown: String) {
        #expect(ValueKind.mask(url) == shown)
    }
}

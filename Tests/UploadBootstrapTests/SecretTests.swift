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

    @Test(arguments: ["env:NOT_SET", "file:/nowhere/at/all"])
    func `a secret that is not there is an error of the configuration with its key`(text: String) {
        let error = #expect(throws: ProgramError.self) { try Secret(text).resolve([:], key: "upload.yaml:3: x.secret") }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.hasPrefix("upload.yaml:3: x.secret: ") == true)
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

import Testing

@testable import UploadBootstrap

struct SourceURLsTests {
    @Test(arguments: [
        ("https://files.example/pub/a.bin", true), ("HTTPS://Files.Example:443/pub/deep/a.bin?x=1", true),
        ("https://files.example/pub/", true), ("https://files.example/public", false),
        ("https://files.example/other/a", false), ("http://files.example/pub/a", false),
        ("https://files.example:8443/pub/a", false), ("https://files.example.evil/pub/a", false),
        ("https://files.example@evil/pub/a", false), ("https://files.example/pub/../secret", false),
        ("https://files.example/pub/..%2F%CC%81secret", false), ("https://files.example/pub/%2e%2e/secret", false),
        ("https://files.example/pub/%2E./secret", false),
        ("file:///pub/a", false), ("ftp://files.example/pub/a", false), ("", false),
    ])
    func `only what lies below one of them is read`(url: String, isAllowed: Bool) throws {
        let urls = try SourceURLs(["http://other.example:8080/", "https://files.example/pub/"], key: "sourceURLs")
        #expect(urls.contains(url) == isAllowed)
    }

    @Test func `without any nothing is`() throws {
        #expect(try !SourceURLs([], key: "sourceURLs").contains("https://files.example/pub/a"))
    }

    @Test(arguments: ["https://files.example/pub", "files.example/", "https:///x/", "https://h/?x=/", "file:///x/"])
    func `a prefix is a URL that ends in a slash`(prefix: String) {
        let error = #expect(throws: ProgramError.self) { try SourceURLs([prefix], key: "sourceURLs") }
        #expect(error?.exitCode == .configuration && error?.description.contains("slash at its end") == true)
    }
}

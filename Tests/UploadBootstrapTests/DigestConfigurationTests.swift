import Testing
import Uploads

@testable import UploadBootstrap

struct DigestConfigurationTests {
    private let files: Files

    init() throws { files = try Files() }

    @Test(
        arguments: [
            ("{}", false, false), ("{digests: [sha256]}", true, true),
            ("{destinations: {a: {driver: directory, path: /a, digests: [sha256]}}}", true, false),
            (
                "{destinations: {a: {driver: http, url: 'https://h/', form: {file: f, fields: {x: 'v-{sha256}'}}}}}",
                true,
                false
            ),
            ("{destinations: {b: {driver: directory, path: /b, digests: [sha256]}}}", false, false),
        ])
    func `the SHA-256 is asked for, or a template needs it`(yaml: String, atA: Bool, atURL: Bool) throws {
        let configuration = try UploadConfiguration(try files.input(yaml))
        #expect(try configuration.needsSHA256(at: DestinationName("a")) == atA)
        #expect(configuration.needsSHA256(at: nil) == atURL)
    }
}

import Foundation
import Testing

@testable import Uploads

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://user:secret@host.example/a/b.bin?X-Amz-Signature=abc#f", "https://host.example/a/b.bin"),
        ("https://token@host.example:8443/a", "https://host.example:8443/a"),
        ("https://host.example/a@b/c?d=e@f", "https://host.example/a@b/c"),
        ("https://a:p@ss@host.example/x", "https://host.example/x"),
        ("https://host.example?sig=1", "https://host.example"),
        ("https://host.example#frag", "https://host.example"),
        ("https://u:p@[::1]:80/x?y", "https://[::1]:80/x"),
        ("file:///dir/name", "file:///dir/name"),
        ("no url ? secret", "no url "),
        // To Swift a combining mark and the letter before it are one character.
        ("https://h/a?\u{301}secret", "https://h/a"), ("https://u:secret@\u{301}h/a", "https://\u{301}h/a"),
        ("https://\u{301}u:secret@h/a", "https://h/a"),
        ("", ""),
    ])
    func `a URL is shown without user, password, query and fragment`(url: String, shown: String) {
        #expect(DestinationReference.redact(url) == shown)
        let reference = DestinationReference.url(url)
        #expect(reference.displayText == shown)
        #expect(reference.redacted == .url(shown))
    }

    @Test func `what an event shows has neither inline bytes nor a query`() throws {
        let job = UploadJob(
            source: .inline(Data("top-secret".utf8)), destination: .url("https://u:p@h.example/a?sig=hidden"), size: 10)
        let event = UploadEvent(kind: .started, of: Baton(job: job), at: Date())
        let text = String(decoding: try WireJSON.encode(event), as: UTF8.self)
        for secret in ["hidden", "u:p", Data("top-secret".utf8).base64EncodedString()] {
            #expect(!text.contains(secret))
        }
        #expect(event.routingKey == "started.default.https.\(event.job.id.digitText)")
    }

    @Test(arguments: ["https://host/a?sig=1", "https://host/a?\u{301}sig=1"])
    func `a pre-signed URL is known by its query, whatever accent follows`(url: String) {
        #expect(DestinationReference.url(url).readBackProblem != nil)
    }

    @Test func `an error's description hides its cause`() {
        struct Cause: Error { let secret = "hunter2" }
        let error = UploadError(.networkFailure, "no answer: try again", cause: Cause())
        #expect(!"\(error)".contains("hunter2"))
        #expect(String(reflecting: error).contains("hunter2"))
    }
}

import Foundation
import NIOHTTP1
import Testing
import Uploads

@testable import UploadDestinations

struct HTTPValueTests {
    @Test func `statuses are single ones and ranges`() throws {
        let statuses = try HTTPStatuses(["200", "204-206", "409"])
        #expect((100..<600).filter(statuses.contains) == [200, 204, 205, 206, 409])
        #expect((100..<600).filter(HTTPStatuses.usual.contains) == Array(200..<300))
    }

    @Test(arguments: [
        [], ["2xx"], [""], ["299-200"], ["199"], ["600"], ["200-"], ["-200"], ["200-201-202"], ["200,201"],
    ])
    func `what is no status is refused`(items: [String]) {
        let error = #expect(throws: UploadError.self) { try HTTPStatuses(items) }
        #expect(error?.code == .misconfigured)
    }

    @Test(arguments: [
        ("data.link", #"{"data": {"link": "https://h/x"}}"#, "https://h/x"), ("0.url", #"[{"url": "/a"}]"#, "/a"),
        ("files.1", #"{"files": ["a", "b"]}"#, "b"), ("1", #"{"1": "name"}"#, "name"),
        ("data.link", #"{"data": {"link": 7}}"#, nil), ("data.link", #"{"data": null}"#, nil),
        ("files.2", #"{"files": ["a", "b"]}"#, nil), ("files.-1", #"{"files": ["a", "b"]}"#, nil),
        ("a", "no json", nil), ("a", #"{"a": ""}"#, nil), ("a", #"{"a": "line\nbreak"}"#, nil), ("a", "", nil),
    ])
    func `a place in an answer is found`(path: String, body: String, expected: String?) {
        #expect(HTTPAnswerPath.text(path, in: Data(body.utf8)) == expected)
    }

    @Test func `an answer of endless depth or length is no place`() {
        #expect(HTTPAnswerPath.text("a", in: Data(String(repeating: "[", count: 60_000).utf8)) == nil)
        let long = #"{"a": ""# + String(repeating: "x", count: 5000) + #""}"#
        #expect(HTTPAnswerPath.text("a", in: Data(long.utf8)) == nil)
    }

    private func job(_ metadata: [String: String] = [:], contentType: String = "text/plain") -> UploadJob {
        UploadJob(
            source: .inline(Data()), destination: .named(DestinationName(unchecked: "web"), key: "x"),
            contentType: contentType, size: 0, metadata: metadata)
    }

    @Test func `a form is what a browser would send`() throws {
        let form = try HTTPForm(
            file: "a\"b\r\n", fields: ["one": JobTemplate("{metadata.one}"), "Two": JobTemplate("2")])
        let body = try HTTPFormBody(form, job(["one": "1\r\n2"]))
        let boundary = try #require(body.contentType.split(separator: "=").last)
        #expect(body.contentType == "multipart/form-data; boundary=\(boundary)")
        #expect(
            String(decoding: body.head, as: UTF8.self)
                == """
                --\(boundary)
                Content-Disposition: form-data; name="Two"

                2
                --\(boundary)
                Content-Disposition: form-data; name="one"

                1
                2
                --\(boundary)
                Content-Disposition: form-data; name="a%22b%0D%0A"; filename="x"
                Content-Type: text/plain


                """.replacing("\n", with: "\r\n"))
        #expect(String(decoding: body.tail, as: UTF8.self) == "\r\n--\(boundary)--\r\n")
        // RFC 2046, section 5.1.1.
        #expect(boundary.count <= 70)
    }

    @Test func `a content type begins no other header`() throws {
        let body = try HTTPFormBody(HTTPForm(file: "f"), job(contentType: "text/plain\r\nX-Evil: 1"))
        #expect(String(decoding: body.head, as: UTF8.self).contains("Content-Type: text/plainX-Evil: 1\r\n\r\n"))
    }

    @Test func `a boundary is random, or made of its seed, and stands in no field`() throws {
        let form = try HTTPForm(file: "f", fields: ["a": JobTemplate("{metadata.a}")])
        let random = try (0..<2).map { _ in try HTTPFormBody(form, job(["a": ""])).contentType }
        #expect(random[0] != random[1])
        let first = try HTTPFormBody(form, job(["a": ""]), seed: "1")
        #expect(try HTTPFormBody(form, job(["a": ""]), seed: "1") == first)
        #expect(try HTTPFormBody(form, job(["a": ""]), seed: "2").contentType != first.contentType)
        let boundary = try #require(first.contentType.split(separator: "=").last)
        let hostile = try HTTPFormBody(form, job(["a": "--\(boundary)--"]), seed: "1")
        #expect(hostile.contentType != first.contentType)
    }

    @Test func `a state comes back as it went`() throws {
        let job = job()
        var state = HTTPState(job, partBytes: 7)
        #expect(try HTTPState(state.uploadState) == state)
        state.size = 20
        state.reached = 14
        state.sent = 14
        state.etag = "W/\"1\""
        state.tail = HTTPState.Tail(range: 7..<14, checksum: CRC64NVME(of: [1, 2, 3]))
        #expect(try HTTPState(state.uploadState) == state)
        state.reached = 9
        #expect(try HTTPState(state.uploadState) == state, "what was sent and has to be compared again is kept")
        #expect(state.matches("\"1\"") && !state.matches("\"2\"") && !state.matches(nil))
        #expect(!state.belongs(to: job), "of another length")
        for payload: JSONValue in [
            [:], ["job": "x"], ["job": "x", "size": 1, "partBytes": 0, "reached": 0],
            ["job": "x", "size": 1, "partBytes": 1, "reached": 2],
            ["job": "x", "size": -1, "partBytes": 1, "reached": 0],
        ] {
            let error = #expect(throws: UploadError.self) {
                try HTTPState(UploadState(driver: HTTPDestination.driverName, payload: payload))
            }
            #expect(error?.code == .sessionExpired)
        }
        let foreign = #expect(throws: UploadError.self) {
            try HTTPState(UploadState(driver: "tus", payload: state.uploadState.payload))
        }
        #expect(foreign?.code == .sessionExpired)
    }

    @Test func `secrets are blotted out in every form that a server may repeat them in`() {
        let basic = "Basic " + Data("user:pass/word-1".utf8).base64EncodedString()
        let secrets = HTTPSecrets(
            headers: [
                "Authorization": basic, "Proxy-Authorization": "Client-ID abcdefgh1",
                "Accept": "text/html, application/json",
            ], url: "https://h/x?sig=0123456789",
            more: ["form", "no", "sw\"ö\n"])
        for text in [
            basic, "pass/word-1", #"pass\/word-1"#, "Client-ID abcdefgh1", "abcdefgh1", "sig=0123456789", "0123456789",
            "a form field", #"sw\"ö\n"#, #"sw\"\u00f6\n"#, "sw%22%C3%B6%0A",
        ] { #expect(secrets.blotted(text).contains("[hidden]"), "\(text)") }
        for text in ["no user", "application/json"] { #expect(secrets.blotted(text) == text) }
        var reply = HTTPReply(status: 200, headers: HTTPHeaders(), body: Data("cut off abcdefg".utf8), isWhole: false)
        #expect(secrets.shown(reply).body == "cut off [hidden]")
        #expect(secrets.blotted("0123456789\u{301}").hasBytePrefix("[hidden]"))
        let accented = HTTPSecrets(headers: [:], url: "https://h/x?\u{301}sig=0123456789#top")
        #expect(accented.blotted("0123456789 top") == "[hidden] top")
        reply.isWhole = true
        #expect(secrets.shown(reply).body == "cut off abcdefg")
    }
}

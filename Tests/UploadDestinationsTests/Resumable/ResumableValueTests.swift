import Foundation
import NIOHTTP1
import ResumableTesting
import Testing
import Uploads

@testable import UploadDestinations

/// Tests without a server.
@Suite
struct ResumableValueTests {
    private func reply(_ status: Int, _ headers: [(String, String)], body: String = "") -> HTTPReply {
        HTTPReply(status: status, headers: HTTPHeaders(headers), body: Data(body.utf8), isWhole: true)
    }

    @Test(arguments: [
        ("?1", StructuredField.boolean(true)), (" ?0 ", .boolean(false)), ("?1;a=2;b", .boolean(true)),
        ("0", .integer(0)), ("-7", .integer(-7)), ("999999999999999", .integer(999_999_999_999_999)),
        ("1.5", .other), ("\"a\\\"b\"", .other), (":aGk=:", .other), ("token/x", .other), ("(1 \"a, b\" x);q", .other),
        ("?2", nil), ("", nil), ("1 2", nil), ("1,2", nil), ("1000000000000000", nil), ("\"open", nil), (":open", nil),
        ("(1", nil), ("--1", nil), ("1;", nil), ("-999999999999999", .integer(-999_999_999_999_999)),
        ("-1000000000000000", nil), ("-9223372036854775808", nil), ("9223372036854775807", nil), ("((1) 2)", nil),
        (String(repeating: "(", count: 70_000), nil),
    ])
    func `items are read as RFC 9651 has them`(text: String, expected: StructuredField?) {
        #expect(StructuredField.item(text) == expected)
    }

    @Test(
        arguments: [
            (["a=1, b=?0,c"], ["a": .integer(1), "b": .boolean(false), "c": .boolean(true)]),
            (["a=1", "b=2;x=y"], ["a": .integer(1), "b": .integer(2)]), (["a=1, a=2"], ["a": .integer(2)]), ([""], [:]),
            (["a=(1 2), b=\"x, y\""], ["a": .other, "b": .other]), (["*k-1_.*=3"], ["*k-1_.*": .integer(3)]),
            (["a=1,"], nil), (["A=1"], nil), (["a=1 b=2"], nil), (["a="], nil), (["=1"], nil),
        ] as [([String], [String: StructuredField]?)])
    func `dictionaries are read as RFC 9651 has them`(lines: [String], expected: [String: StructuredField]?) {
        #expect(StructuredField.dictionary(lines) == expected)
    }

    @Test func `limits are read in all their names, and not at all where one is no number`() throws {
        let limit = try #require(
            ResumableUploadLimit(
                reply(
                    200,
                    [
                        ("Upload-Limit", "max-size=10, min-size=1, max-append-size=5"),
                        ("Upload-Limit", "min-append-size=2, max-age=60, unknown=\"x\""),
                    ])))
        #expect(limit.sizeMaximum == 10)
        #expect(limit.sizeMinimum == 1)
        #expect(limit.appendMaximum == 5)
        #expect(limit.appendMinimum == 2)
        #expect(limit.ageSeconds == 60)
        #expect(!limit.isOfOldDraft)
        let old = try #require(ResumableUploadLimit(reply(200, [("Upload-Limit", "expires=9")])))
        #expect(old.ageSeconds == 9 && old.isOfOldDraft)
        // "a member with a known key but a value of unexpected type MUST cause the entire header field to be ignored"
        for text in ["max-size=10, max-age=soon", "max-size=-1", "max-size=1.5", "no dictionary"] {
            #expect(ResumableUploadLimit(reply(200, [("Upload-Limit", text)])) == nil)
        }
        #expect(ResumableUploadLimit(reply(200, [])) == nil)
    }

    @Test(
        arguments: [
            (nil, nil, 32 << 20), (100 << 20, nil, 32 << 20), (20 << 20, nil, 16 << 20), (1 << 20, nil, 1 << 20),
            (nil, 40 << 20, 40 << 20), (20 << 20, 18 << 20, 20 << 20), (0, nil, 32 << 20),
        ] as [(Int64?, Int64?, Int64)])
    func `parts are whole blocks within the server's limits`(maximum: Int64?, minimum: Int64?, expected: Int64) {
        let text = [maximum.map { "max-append-size=\($0)" }, minimum.map { "min-append-size=\($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
        let limit = ResumableUploadLimit(reply(200, [("Upload-Limit", text)])) ?? ResumableUploadLimit()
        #expect(limit.partBytes(32 << 20) == expected)
    }

    @Test func `completeness is told in the word of each draft, and understood in both`() {
        #expect(ResumableInterop.v3.completeness(true) == ("upload-incomplete", "?0"))
        #expect(ResumableInterop.v3.completeness(false) == ("upload-incomplete", "?1"))
        for interop in [ResumableInterop.v5, .v6, .v7, .v8] {
            #expect(interop.completeness(true) == ("upload-complete", "?1"))
            #expect(interop.completeness(false) == ("upload-complete", "?0"))
        }
        #expect(reply(200, [("Upload-Complete", "?1")]).isUploadComplete == true)
        #expect(reply(200, [("Upload-Incomplete", "?0")]).isUploadComplete == true)
        #expect(reply(200, [("Upload-Incomplete", "?1")]).isUploadComplete == false)
        // "Other values MUST cause the entire header field to be ignored."
        #expect(reply(200, [("Upload-Complete", "yes")]).isUploadComplete == nil)
        #expect(reply(200, [("Upload-Offset", "-1")]).uploadOffset == nil)
        #expect(reply(200, [("Upload-Offset", "1.0")]).uploadOffset == nil)
        #expect(reply(200, [("Upload-Offset", "17")]).uploadOffset == 17)
    }

    @Test func `problems are known by their type`() {
        let type = "https://iana.org/assignments/http-problem-types#completed-upload"
        let body = "{\"type\": \"\(type)\", \"title\": \"upload is already completed\"}"
        #expect(reply(400, [("Content-Type", "application/problem+json")], body: body).problem == "completed-upload")
        #expect(reply(400, [("Content-Type", "application/json")], body: body).problem == nil)
        #expect(reply(400, [("Content-Type", "application/problem+json")], body: "[").problem == nil)
    }

    @Test(
        arguments: [
            (400, [("Upload-Draft-Interop-Version", "6")], .versions([.v6], nil)),
            (200, [("Accept-Patch", "text/plain, Application/Partial-Upload;q=1")], .versions([.v8, .v7, .v6], nil)),
            (404, [("Accept-Patch", "application/partial-upload")], .none), (200, [("Accept-Patch", "*/*")], .none),
            (200, [("Upload-Draft-Interop-Version", "4")], .none), (204, [], .none), (405, [], .none),
        ] as [(Int, [(String, String)], ResumableSupport)])
    func `what a server says of itself tells what to try`(
        status: Int, headers: [(String, String)], expected: ResumableSupport
    ) {
        #expect(ResumableSupport(reply(status, headers), asked: .v8) == expected)
    }

    @Test(arguments: [
        ResumableState("https://h/files/1?token=2", .v8, partBytes: 8 << 20),
        ResumableState("https://h/files/1", .v3, partBytes: 9, expiry: Date(timeIntervalSince1970: 1_800_000_000)),
    ])
    func `a state survives its trip`(state: ResumableState) throws {
        let wire = try WireJSON.encode(state.uploadState)
        #expect(try ResumableState(WireJSON.decode(UploadState.self, from: wire)) == state)
        #expect(!state.displayURL.contains("?"))
    }

    @Test(
        arguments: [
            [:], ["url": "https://h/1", "interop": 8], ["url": "", "interop": 8, "partBytes": 1],
            ["url": "https://h/1", "interop": 4, "partBytes": 1], ["url": "https://h/1", "interop": 8, "partBytes": 0],
            ["url": "https://h/1", "interop": 9_223_372_036_854_775_807, "partBytes": 1],
        ] as [JSONValue])
    func `a state that the driver cannot have written counts as expired`(payload: JSONValue) {
        let error = #expect(throws: UploadError.self) {
            try ResumableState(UploadState(driver: "resumable", payload: payload))
        }
        #expect(error?.code == .sessionExpired)
    }

    @Test func `every status has a meaning, and a server that failed is asked again`() {
        for status in 100..<600 {
            let meaning = ResumableErrorTable.meaning(status)
            #expect(!meaning.remedy.isEmpty)
            if (500..<600).contains(status), status != 501 { #expect(meaning.retry == .afterBackoff) }
        }
    }

    @Test(arguments: ["files", "ftp://h/", "https:///x", ""])
    func `a place that is no URL is refused`(url: String) {
        let error = #expect(throws: UploadError.self) { try ResumableDestination(ResumableConfiguration(url: url)) }
        #expect(error?.code == .misconfigured)
    }
}

import Foundation
import NIOHTTP1
import Testing
import Uploads

@testable import UploadDestinations

@Suite struct JSONPathTests {
    private let json = JSONValue(json: Data(#"{"a": {"b": [{"c": "x"}, {"c": 7}], "n": null}, "d": true}"#.utf8))

    @Test(arguments: [
        ("a.b.0.c", "x"), ("a.b.1.c", "7"), ("a.b.2.c", nil), ("a.b.-1.c", nil), ("a.b.c", nil), ("a.n", nil),
        ("d", nil), ("d.e", nil), ("", nil), ("z", nil),
    ])
    func `names and places lead to a value`(path: String, expected: String?) throws {
        #expect(JSONPath(path).value(in: try #require(json))?.scalarText == expected)
    }

    @Test(arguments: ["[", #"{"a":"#]) func `an answer that nests without end is none`(step: String) {
        let body = Data(String(repeating: step, count: 20_000).utf8)
        #expect(JSONValue(json: body) == nil)
        let reply = HTTPReply(status: 200, headers: [:], body: body, isWhole: true)
        let target = try? HTTPTarget(
            UploadJob(source: .inline(Data()), destination: .url("https://h/x"), size: 0), HTTPConfiguration())
        let answer = ImgurAnswer(reply, reply.response)
        #expect(target.flatMap { answer.failure(at: $0) }?.code == .invalidResponse)
        // The deepest nesting that is allowed can be read.
        let most = 64
        let closed = String(repeating: "[", count: most) + String(repeating: "]", count: most)
        #expect(JSONValue(json: Data(closed.utf8)) != nil)
        #expect(JSONValue(json: Data("[\(closed)]".utf8)) == nil)
    }

    @Test func `times come as text or as a number`() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for (value, expected) in [
            ("2027-01-15T08:00:00Z", now), (.integer(300), now + 300), (.integer(1_800_000_000), now),
            (.integer(1_800_000_000_000), now), (.number(0.5), now + 0.5), ("300", now + 300), ("soon", nil),
            (true, nil),
            (.integer(-5), nil), (.number(.infinity), nil),
        ] as [(JSONValue, Date?)] {
            #expect(value.time(now: now) == expected, "\(value)")
        }
    }
}

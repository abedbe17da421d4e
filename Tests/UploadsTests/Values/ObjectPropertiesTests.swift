import Foundation
import Testing

@testable import Uploads

@Suite struct ObjectPropertiesTests {
    @Test(arguments: [
        "max-age=3600, public", "attachment; filename=\"a b.txt\"; filename*=UTF-8''%C3%A4", "x",
        String(repeating: "x", count: 1024),
    ])
    func `printable ASCII of up to a kilobyte is a header's value`(value: String) {
        #expect(ObjectProperties.problem(headerValue: value) == nil)
    }

    @Test(arguments: ["", " x", "x ", "a\r\nb", "a\u{0}", "\t", "\u{7F}", "ä", String(repeating: "x", count: 1025)])
    func `anything else is none`(value: String) {
        #expect(ObjectProperties.problem(headerValue: value) != nil)
        #expect(ObjectProperties(contentLanguage: value).problems.count == 1)
    }

    @Test func `tags keep to the limits of S3`() {
        func problems(_ tags: [String: String]) -> [String] { ObjectProperties(tags: tags).problems }
        let ten = Dictionary(uniqueKeysWithValues: (0..<10).map { ("k\($0)", "v") })
        #expect(problems(ten).isEmpty)
        #expect(problems(ten.merging(["one": "more"]) { $1 }).count == 1)
        let (key, value) = (String(repeating: "ä", count: 128), String(repeating: "🐈", count: 256))
        #expect(problems([key: value]).isEmpty)
        #expect(problems([key + "x": value + "x"]).count == 2)
        #expect(problems(["": ""]).count == 1)
        #expect(problems(["a": "b\nc"]).count == 1)
    }

    @Test func `metadata can be written as headers`() {
        #expect(ObjectProperties.problems(metadata: ["owner-1_a.b": "Jörg"]).isEmpty)
        for metadata in [["": "v"], ["a b": "v"], ["ä": "v"], ["a:": "v"], ["a": "x\r\ny: z"], ["A": "1", "a": "2"]] {
            #expect(ObjectProperties.problems(metadata: metadata).count == 1, "\(metadata)")
        }
        let size = ObjectProperties.metadataBytesMaximum
        #expect(ObjectProperties.problems(metadata: ["k": String(repeating: "v", count: size - 1)]).isEmpty)
        #expect(ObjectProperties.problems(metadata: ["k": String(repeating: "v", count: size)]).count == 1)
    }

    @Test func `of two, one goes before the other field by field`() {
        let first = ObjectProperties(cacheControl: "a", tags: ["k": "1"])
        let second = ObjectProperties(cacheControl: "b", storageClass: "S", tags: ["k": "2", "l": "3"])
        #expect(
            first.merging(over: second)
                == ObjectProperties(cacheControl: "a", storageClass: "S", tags: ["k": "1", "l": "3"]))
        #expect(first.merging(over: second).headers.map(\.name) == ["cache-control"])
    }
}

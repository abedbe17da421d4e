import Foundation
import Testing
import Uploads

@Suite struct JSONElementsTests {
    private func elements(_ text: String, atMost maximum: Int = 9) -> [String]? {
        WireJSON.elements(of: Data(text.utf8), atMost: maximum)?.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("[]", []), (" [ ] ", []), ("[1]", ["1"]), ("[ 1 ,\t2\n,\r3 ]\n", ["1", "2", "3"]),
        (
            #"[{"a": [1, 2]}, [[], {}], "]", ",", "\\", "\"]", null]"#,
            [#"{"a": [1, 2]}"#, "[[], {}]", #""]""#, #"",""#, #""\\""#, #""\"]""#, "null"]
        ),
        ("[,]", ["", ""]), ("[1,]", ["1", ""]), ("[nonsense, {no}]", ["nonsense", "{no}"]),
    ])
    func `a list is cut at its commas`(_ text: String, _ expected: [String]) {
        #expect(elements(text) == expected)
    }

    @Test(arguments: ["", " ", "1", "{}", "[", "[1", "[1]]", "[[1]", #"["]"#, #"["\"]"#, "[1] 2", "[1][2]", "]"])
    func `what is not one list is none`(_ text: String) { #expect(elements(text) == nil) }

    @Test func `a list of more elements than asked for is none`() {
        #expect(elements("[1,2,3]", atMost: 3)?.count == 3)
        #expect(elements("[1,2,3,4]", atMost: 3) == nil)
    }

    @Test func `the indices of the bytes may begin anywhere`() {
        let data = Data("xx[1,2]".utf8).dropFirst(2)
        #expect(WireJSON.elements(of: data, atMost: 2)?.first == Data("1".utf8))
    }

    /// Random lists, as Foundation's reader sees them.
    @Test func `each element is what Foundation reads there`() throws {
        var random = SystemRandomNumberGenerator()
        func value(_ depth: Int) -> Any {
            switch Int.random(in: 0..<(depth == 0 ? 3 : 5), using: &random) {
            case 0: return Int.random(in: -9...999, using: &random)
            case 1: return NSNull()
            case 2:
                return String(
                    (0..<Int.random(in: 0..<6, using: &random)).map { _ in #"[]{},:"\ é"#.randomElement(using: &random)!
                    })
            case 3: return (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth - 1) }
            default: return ["a]": value(depth - 1), "b\"": value(depth - 1)]
            }
        }
        for _ in 0..<300 {
            let list = (0..<Int.random(in: 0..<8, using: &random)).map { _ in value(3) }
            for options in [JSONSerialization.WritingOptions.sortedKeys, [.sortedKeys, .prettyPrinted]] {
                let text = try JSONSerialization.data(withJSONObject: list, options: options)
                let found = try #require(WireJSON.elements(of: text, atMost: 8))
                let read = try found.map { try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) }
                #expect(read as NSArray == list as NSArray)
            }
        }
    }
}

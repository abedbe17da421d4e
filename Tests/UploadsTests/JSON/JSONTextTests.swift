import Foundation
import Testing

@testable import Uploads

/// Compares the coders of this project with Foundation's: a text that ours read, Foundation's read too, as the same
/// value.
@Suite struct JSONTextTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? { read(type, Data(text.utf8)) }

    /// nil when it is left to Foundation.
    private func read<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
        guard let text = try? JSONText(data) else { return nil }
        return try? JSONReader(text: text, index: 0).value(type)
    }

    @Test(arguments: [
        "null", " true\n", "\t\r false", "0", "-0", "-17", "9223372036854775807", "-9223372036854775808", "[]", "{}",
        "[ ]",
        "{ }", "[1, [2], {\"a\": [null]}]", "\"\"", "\"a/b\\/c\"",
        "\"\\u00e4\\u20AC\\ud83d\\ude00\\b\\f\\n\\r\\t\\\\\\\"\"",
        "\"ä€😀\u{7f}\"", "{\"a\": 1, \"b\": {\"c\": \"d\"}, \"\\u0065\": 2}", "{\"a\": 1, \"a\": 2}",
    ])
    func `what is JSON is read as by Foundation`(text: String) throws {
        let ours = try #require(read(JSONValue.self, text))
        #expect(FoundationJSON.decode(JSONValue.self, from: Data(text.utf8)) == ours)
    }

    @Test(arguments: [
        "", " ", "nul", "truee", "tru", "01", "-", "1.", ".5", "1e", "+1", "1 2", "[,1]", "[1", "]", "{\"a\"}",
        "{\"a\":}", "{a:1}", "{1:1}", "{\"a\" 1}", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "'a'", "[1}", "{\"a\":1]",
    ])
    func `what is not JSON is not read`(text: String) {
        #expect(read(JSONValue.self, text) == nil)
        #expect(throws: DecodingError.self) { try WireJSON.decode(JSONValue.self, from: Data(text.utf8)) }
    }

    @Test(arguments: ["[1,]", "{\"a\":1,}"])
    func `what Foundation forgives is forgiven`(text: String) throws {
        #expect(read(JSONValue.self, text) == nil)
        #expect(throws: Never.self) { try WireJSON.decode(JSONValue.self, from: Data(text.utf8)) }
    }

    @Test func `text that is not Unicode is not read`() {
        for bytes: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]] {
            let data = Data([0x22] + bytes + [0x22])
            #expect(read(JSONValue.self, data) == nil)
            #expect(throws: (any Error).self) { try WireJSON.decode(JSONValue.self, from: data) }
        }
    }

    /// Eight bytes are looked at together.
    @Test func `a byte ends a text or not wherever it stands in it`() {
        for position in 0..<17 {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array(("\"" + String(repeating: "x", count: 17) + "\"").utf8)
                bytes[1 + position] = byte
                let ours = read(String.self, Data(bytes))
                // A backslash escapes an x, a quote comes too early, and one byte from 0x80 on is no Unicode.
                let isPlain = byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                #expect(ours == (isPlain ? String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) : nil))
            }
        }
    }

    @Test func `numbers are read by the types that hold them`() throws {
        #expect(read([UInt8].self, "[0, 255]") == [0, 255])
        #expect(read([UInt8].self, "[256]") == nil && read([UInt8].self, "[-1]") == nil)
        #expect(read([Int8].self, "[-128, 127]") == [-128, 127] && read([Int8].self, "[128]") == nil)
        #expect(read([UInt64].self, "[18446744073709551615]") == [.max])
        #expect(read([UInt64].self, "[18446744073709551616]") == nil)
        #expect(read([Double].self, "[1, -2.5, 1e3, 0.1]") == [1, -2.5, 1000, 0.1])
        #expect(read([Double].self, "[1e999]") == nil)
        // An integer that is written with a fraction or an exponent is left to Foundation.
        #expect(read(Int.self, "1.0") == nil)
        #expect(try WireJSON.decode(Int.self, from: Data("1.0".utf8)) == 1)
        #expect(try WireJSON.decode(JSONValue.self, from: Data("[1.5]".utf8)) == .array([.number(1.5)]))
    }

    @Test func `no text is as deep as the stack`() {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(read(JSONValue.self, deep(JSONText.depthMaximum)) != nil)
        #expect(read(JSONValue.self, deep(JSONText.depthMaximum + 1)) == nil)
        #expect(read(JSONValue.self, String(repeating: "[{\"a\":", count: 100_000)) == nil)
    }

    @Test func `an object of many members is read as well`() throws {
        let count = JSONText.memberCountMaximum + 1
        let names = Dictionary(uniqueKeysWithValues: (0..<count).map { ("name \($0)", $0) })
        #expect(read([String: Int].self, String(decoding: try WireJSON.encode(names), as: UTF8.self)) == nil)
        #expect(try WireJSON.decode([String: Int].self, from: WireJSON.encode(names)) == names)
    }

    /// Leaves out, doubles and replaces every byte of a baton.
    @Test func `whatever is damaged is read as by Foundation, or not`() throws {
        var baton = Baton(job: CodableTests().job, round: 2, generation: 3)
        baton.state = UploadState(driver: "s3", payload: ["id": "\u{1}\"ä", "list": [true, -1]])
        let whole = [UInt8](try WireJSON.encode(baton))
        var readCount = 0
        for index in whole.indices {
            for replacement: [UInt8] in [[], [whole[index], whole[index]], Array("\"".utf8), Array("1".utf8), [0xc3]] {
                let data = Data(whole[..<index] + replacement + whole[(index + 1)...])
                guard let ours = read(Baton.self, data) else { continue }
                readCount += 1
                let isSame = FoundationJSON.decode(Baton.self, from: data) == ours
                #expect(isSame, "byte \(index) → \(replacement)")
            }
        }
        #expect(readCount > 500)
    }

    @Test func `values are written as by Foundation`() throws {
        let texts = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) } + ["ä€😀", "a/b", "\u{2028}\u{feff}"]
        #expect(try WireJSON.encode(texts) == FoundationJSON.encode(texts))
        let numbers = [
            0, -0.0, 1, -1.5, 0.1, 1e20, 1e-7, 123_456_789.125, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ]
        #expect(try WireJSON.encode(numbers) == FoundationJSON.encode(numbers))
        let floats: [Float] = [0, 0.1, -1.5, 3e38]
        #expect(try WireJSON.encode(floats) == FoundationJSON.encode(floats))
        let integers: [Int64] = [0, -1, .max, .min]
        #expect(try WireJSON.encode(integers) == FoundationJSON.encode(integers))
        #expect(try WireJSON.encode([UInt64.max]) == FoundationJSON.encode([UInt64.max]))
        let objects = [["b": 1, "a": 2, "ä": 3, "A": 4, "": 5, "a.b": 6, "a-b": 7, "aa": 8, "10": 9, "9": 10]]
        #expect(try WireJSON.encode(objects) == FoundationJSON.encode(objects))
        let value: JSONValue = ["l": [1, "x", true, .null, .number(2.5), [:], []]]
        #expect(try WireJSON.encode(value) == FoundationJSON.encode(value))
        let bytes = (0..<260).map { Data((0..<$0).map { UInt8(truncatingIfNeeded: $0) }) }
        #expect(try WireJSON.encode(bytes) == FoundationJSON.encode(bytes))
        let optional: [String?] = ["a", nil]
        #expect(try WireJSON.encode(optional) == FoundationJSON.encode(optional))
        #expect(throws: EncodingError.self) { try WireJSON.encode([Double.infinity]) }
        #expect(throws: EncodingError.self) { try WireJSON.encode([Double.nan]) }
    }

    /// Fills containers as a value may, though those of this project do not.
    struct Free: Encodable {
        let fill: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try fill(encoder) }
    }

    private struct Name: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringLiteral name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private enum Payload: Encodable { case some(a: Int, b: [String]), none }

    @Test(arguments: [
        Free { _ in },
        Free { encoder in _ = encoder.unkeyedContainer() },
        Free { encoder in
            var one = encoder.container(keyedBy: Name.self)
            try one.encode(1, forKey: "b")
            var other = encoder.container(keyedBy: Name.self)
            try other.encode(["z": [1, 2]], forKey: "a")
            try one.encode("late", forKey: "c")
        },
        Free { encoder in
            var outer = encoder.container(keyedBy: Name.self)
            var left = outer.nestedContainer(keyedBy: Name.self, forKey: "left")
            var right = outer.nestedUnkeyedContainer(forKey: "right")
            try left.encode(true, forKey: "y")
            try right.encode("one")
            try outer.encode(Payload.some(a: 1, b: ["x"]), forKey: "between")
            try left.encode(Date(timeIntervalSince1970: 1.5), forKey: "x")
            var deep = right.nestedContainer(keyedBy: Name.self)
            try right.encode(2.5)
            try deep.encodeNil(forKey: "deep")
            #expect(right.count == 3)
        },
        Free { encoder in
            var list = encoder.unkeyedContainer()
            var inner = list.nestedUnkeyedContainer()
            try list.encode(Payload.none)
            try inner.encode(Data([1, 2, 3]))
            try list.encodeNil()
        },
        Free { encoder in
            var value = encoder.singleValueContainer()
            try value.encode(["b": 1, "a": 2])
        },
    ])
    func `containers are filled in any order`(value: Free) throws {
        #expect(try WireJSON.encode([value]) == FoundationJSON.encode([value]))
        #expect(try WireJSON.encode(["it": value]) == FoundationJSON.encode(["it": value]))
    }

    @Test func `of what is written twice the last counts`() throws {
        let member = Free { encoder in
            var object = encoder.container(keyedBy: Name.self)
            try object.encode("first", forKey: "b")
            try object.encode(0, forKey: "a")
            try object.encode("last", forKey: "b")
        }
        #expect(try WireJSON.encode(member) == Data(#"{"a":0,"b":"last"}"#.utf8))
        let single = Free { encoder in
            var value = encoder.singleValueContainer()
            try value.encode("first")
            try value.encode("last")
        }
        #expect(try WireJSON.encode([single]) == Data(#"["last"]"#.utf8))
    }

    @Test func `many members are put in order`() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("key \($0 &* 7919 % 5000)", $0) })
        #expect(try WireJSON.encode(many) == FoundationJSON.encode(many))
    }
}

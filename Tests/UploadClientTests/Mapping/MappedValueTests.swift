import Foundation
import Testing
import UploadClient
import Uploads

@Suite struct MappedValueTests {
    struct Values: Codable, Equatable {
        var flag: Bool?
        var whole: Int64?
        var small: Int8?
        var natural: UInt64?
        var double: Double?
        var float: Float?
        var decimal: Decimal?
        var time: Date?
        var url: URL?
        var bytes: Data?
        var kind: Kind?
        var tags: Set<String>?
        enum Kind: String, Codable { case photo, video }
    }

    let mapper = ObjectMapper()

    init() throws { try mapper.setUpMapping(type: "Values", to: Values.self) }

    private func values(_ field: String, _ json: JSONValue) throws -> Values {
        try mapper.object(Values.self, from: .object(["type": "Values", field: json]))
    }

    @Test(arguments: [
        ("2026-11-22T08:00:00Z", 0.0), ("2026-11-22T08:00:00.250Z", 0.25), ("2026-11-22T09:00:00.25+01:00", 0.25),
        ("2026-11-22T03:30:00.250-04:30", 0.25), ("2026-11-22T09:00:00+0100", 0), ("2026-11-22T08:00:00.5+00:00", 0.5),
        ("2026-11-22T10:00:00,250+02", 0.25), ("2026-11-22t08:00:00.250000z", 0.25), ("2026-11-21T23:00:00-09:00", 0),
    ])
    func `times are read in every zone, with fractions of a second or without`(text: String, fraction: Double) throws {
        let time = try #require(try values("time", .string(text)).time)
        #expect(abs(time.timeIntervalSince1970 - 1_795_334_400 - fraction) < 0.000_001, "\(time)")
    }

    @Test(arguments: [
        "yesterday", "2026-11-22", "2026-13-22T08:00:00Z", "2026-11-22T08:00:00", "2026-11-22T25:00:00.123456Z", "",
        "2026-11-22T08:00:00.+01:00", "2026-11-22T08:00:00+01:99", "2026-02-29T08:00:00Z",
        "2026-11-22 08:00:00Z",
    ])
    func `what is no time is refused`(text: String) {
        #expect(throws: UploadError.self) { try values("time", .string(text)) }
    }

    @Test func `a time is written in UTC with milliseconds, and reads back as itself`() throws {
        for number in 0..<500 {
            let milliseconds = Int64(number) * 126_701_150_399 % 253_402_300_799_999
            let time = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let json = try #require(try mapper.json(from: Values(time: time)))
            let text = try #require(json["time"]?.string)
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            let again = try #require(try mapper.object(Values.self, from: json).time)
            #expect(Int64((again.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
        }
    }

    @Test(arguments: [0, 1, -1, 9_007_199_254_740_993, .max, .min] as [Int64])
    func `whole numbers are exact to the ends of Int64, also through text`(number: Int64) throws {
        let data = try #require(try mapper.data(from: Values(whole: number)))
        #expect(String(decoding: data, as: UTF8.self) == #"{"type":"Values","whole":\#(number)}"#)
        #expect(try mapper.object(Values.self, from: data).whole == number)
    }

    @Test func `booleans, whole numbers and strings are kept apart`() throws {
        #expect(try mapper.json(from: Values(flag: true, whole: 1))?["flag"] == true)
        #expect(try mapper.json(from: Values(flag: true, whole: 1))?["whole"] == 1)
        for (field, json) in [
            ("flag", 1), ("flag", "true"), ("whole", true), ("whole", "1"), ("double", "1"), ("double", false),
            ("url", 1), ("bytes", "no base64!"), ("bytes", 1), ("tags", ["a": 1]), ("tags", [1]), ("kind", "audio"),
        ] as [(String, JSONValue)] {
            #expect(throws: UploadError.self, "\(field)") { try values(field, json) }
        }
    }

    @Test func `a number that does not fit its property is refused, never cut off`() throws {
        #expect(try values("whole", .number(3)).whole == 3)
        #expect(try values("double", 3).double == 3)
        #expect(try values("small", -128).small == -128)
        for (field, json) in [
            ("whole", .number(1.5)), ("whole", .number(1e300)), ("whole", .number(9_007_199_254_740_994)),
            ("small", 128), ("natural", -1), ("natural", .number(18_446_744_073_709_551_616)),
        ] as [(String, JSONValue)] {
            #expect(throws: UploadError.self, "\(field)") { try values(field, json) }
        }
    }

    @Test func `null is nil in an optional property and an error in any other`() throws {
        #expect(try values("whole", .null).whole == nil)
        #expect(throws: UploadError.self) {
            try mapper.object(from: ["type": "UploadSession", "id": .null, "url": "u:", "expires": "x"])
        }
    }

    @Test func `values of every kind read back as they were written, through JSON text too`() throws {
        var generator = SplitMix(seed: 20_261_121)
        for _ in 0..<1000 {
            let values = Values.random(using: &generator)
            let json = try #require(try mapper.json(from: values))
            #expect(try mapper.object(from: json) as? Values == values)
            let data = try #require(try mapper.data(from: values))
            #expect(try mapper.object(from: data) as? Values == values)
        }
    }

    @Test func `plain JSON of every shape passes both ways unchanged`() throws {
        var generator = SplitMix(seed: 4711)
        for _ in 0..<500 {
            let json = JSONValue.random(depth: 4, using: &generator)
            #expect(try mapper.json(from: json) == json)
            #expect(try mapper.object(from: json) as? JSONValue == json || json.isArray)
            #expect(try mapper.json(from: mapper.object(from: json)) == json)
        }
    }
}

extension MappedValueTests.Values {
    static func random(using generator: inout SplitMix) -> Self {
        func maybe<Value>(_ value: (inout SplitMix) -> Value) -> Value? {
            Bool.random(using: &generator) ? value(&generator) : nil
        }
        return Self(
            flag: maybe { .random(using: &$0) },
            whole: maybe { .random(in: .min ... .max, using: &$0) },
            small: maybe { .random(in: .min ... .max, using: &$0) },
            natural: maybe { UInt64(Int64.random(in: 0 ... .max, using: &$0)) },
            double: maybe { Double(bitPattern: $0.next()).finite },
            float: maybe { Float(bitPattern: UInt32(truncatingIfNeeded: $0.next())).finite },
            decimal: maybe { Decimal(Int64.random(in: -1_000_000...1_000_000, using: &$0)) / 1000 },
            // Fractions that are exact in binary, so that times can be compared for equality.
            time: maybe { Date(timeIntervalSinceReferenceDate: Double(Int64.random(in: 0...1 << 34, using: &$0)) / 8) },
            url: maybe { URL(string: "https://\(UInt16.random(in: 1...999, using: &$0)).example/ä?q=1") }?.flatMap {
                $0
            },
            bytes: maybe { generator in
                Data(
                    (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                        UInt8.random(in: 0...255, using: &generator)
                    })
            },
            kind: maybe { Bool.random(using: &$0) ? .photo : .video },
            tags: maybe { generator in Set((0..<3).map { _ in "\"\(Int.random(in: 0...9, using: &generator))\n" }) })
    }
}

extension BinaryFloatingPoint {
    var finite: Self { isFinite ? self : 0.1 }
}

extension JSONValue {
    var isArray: Bool { if case .array = self { true } else { false } }

    /// Without a `type`, so that it is plain JSON.
    static func random(depth: Int, using generator: inout SplitMix) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .number(Double(bitPattern: generator.next()).finite)
        case 4:
            return .string(["", "é", "type", "\u{0}", "2026-11-22T08:00:00Z"].randomElement(using: &generator) ?? "")
        case 5:
            return .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(depth: depth - 1, using: &generator) }
            )
        default:
            return .object(
                Dictionary(
                    uniqueKeysWithValues: (0..<Int.random(in: 0...3, using: &generator)).map {
                        ("field\($0)", .random(depth: depth - 1, using: &generator))
                    }))
        }
    }
}

/// SplitMix64: the same values in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

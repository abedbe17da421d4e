public import Foundation
public import Uploads

/// Seeded inputs that are nearly right: valid values of which a part is damaged. An entirely random input is refused at its first byte
/// and proves little.
///
/// `LONGSHORE_FUZZ_INPUTS` sets how many inputs each test takes, `LONGSHORE_SOAK_SEED` repeats a run. Without a seed each test has its
/// own; in continuous integration it is the same in every run, so that chance does not decide about a change. The soak searches by chance.
public struct Fuzz {
    /// The number of inputs for each test.
    public static let inputCount = setting("LONGSHORE_FUZZ_INPUTS").map { Int(clamping: $0) } ?? 1000

    /// The seed, which repeats this run; every failure names it.
    public let seed: UInt64
    private var generator: SeededGenerator

    /// - Parameter name: the test's name. The seed is printed before the first input, because a trap leaves no other trace.
    public init(for name: String) {
        seed = Self.seed(for: name)
        generator = SeededGenerator(seed: seed)
        print("\(name): seed \(seed), LONGSHORE_FUZZ_INPUTS \(Self.inputCount)")
    }

    /// The seed of a test's random choices.
    public static func seed(for name: String) -> UInt64 {
        if let seed = setting("LONGSHORE_SOAK_SEED") { return seed }
        guard ProcessInfo.processInfo.environment["CI"] != nil else { return .random(in: 0...UInt64(UInt32.max)) }
        // FNV-1a: Swift's own hash of a text differs from process to process.
        return name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    public mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    public mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    public mutating func word() -> UInt64 { generator.next() }

    /// A number at which arithmetic tends to break.
    public mutating func integer() -> Int64 {
        let edges: [Int64] = [
            0, 1, -1, 2, 255, 256, 65_535, 1 << 31, 1 << 32, (1 << 50), (1 << 50) + 1, 1 << 53, 1 << 60, 1 << 62,
            .max - 1, .max, .min,
            .min + 1, 1_000_000_000, 1_000_000_001, 253_402_300_800,
        ]
        return chance(4) ? Int64(bitPattern: generator.next()) : pick(edges)
    }

    public mutating func double() -> Double {
        pick([
            0, -0.0, .leastNonzeroMagnitude, 0.5, -1, 1e9, 1e9 + 1, 1e15, 9.3e18, 1.9e19, 1e300,
            .greatestFiniteMagnitude,
            Double(integer()),
        ])
    }

    public mutating func text() -> String {
        let edges = [
            "", " ", "\0", "\u{1b}[2J", "a/../b", "/etc/passwd", "%00", "ä\u{301}", "\u{FEFF}", "\u{202E}", "x?y#z",
            "://", "https://", "s3:",
            "default", "urgent", "null", "NaN", "-1", "1e999", "18446744073709551616", "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999Z",
            "292277026596-12-04T15:30:08Z", "2026-13-45T99:99:99Z", "00000000-0000-0000-0000-000000000000", "AAAA", "=",
            "[]", "{}",
            "completed", "after", "notYet", "object", "inline",
        ]
        return switch number(in: 0...7) {
        case 0:
            String(
                repeating: pick(["a", "/", "é", "🦑", "\\", "\""]), count: pick([64, 255, 256, 1025, 16_385, 70_000]))
        case 1:
            String(
                decoding: (0..<number(in: 0...20)).map { _ in UInt8(truncatingIfNeeded: generator.next()) },
                as: UTF8.self)
        default: pick(edges)
        }
    }

    /// A JSON value that no field expects.
    public mutating func json() -> JSONValue {
        switch number(in: 0...9) {
        case 0: .null
        case 1: .bool(chance(2))
        case 2, 3, 4: .integer(integer())
        case 5: .number(double())
        case 6, 7: .string(text())
        case 8: nested(pick([1, 3, 31, 32, 33, 127, 129, 500]))
        default: chance(2) ? .array([]) : .object([:])
        }
    }

    private mutating func nested(_ depth: Int) -> JSONValue {
        let isArray = chance(2)
        return (0..<depth).reduce(.null) { value, _ in isArray ? .array([value]) : .object(["a": value]) }
    }

    /// The value with one to three of its parts replaced, removed, doubled or moved.
    public mutating func damaged(_ value: JSONValue) -> JSONValue {
        (0..<number(in: 1...3)).reduce(value) { value, _ in damagedOnce(value) }
    }

    private mutating func damagedOnce(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(var fields) where !fields.isEmpty && !chance(12):
            let key = pick(fields.keys.sorted())
            switch number(in: 0...9) {
            case 0: fields[key] = nil
            case 1: fields[text()] = json()
            case 2: fields[pick(fields.keys.sorted())] = fields[key]
            default: fields[key] = fields[key].map { damagedOnce($0) }
            }
            return .object(fields)
        case .array(var values) where !values.isEmpty && !chance(12):
            let index = pick(Array(values.indices))
            switch number(in: 0...9) {
            case 0: values.remove(at: index)
            case 1: values = Array(repeating: values[index], count: pick([2, 11, 1001]))
            default: values[index] = damagedOnce(values[index])
            }
            return .array(values)
        case .integer where !chance(4): return .integer(integer())
        case .number where !chance(4): return .number(double())
        case .string(let text) where !chance(4):
            return .string(chance(2) ? self.text() : String(decoding: damaged(Data(text.utf8)), as: UTF8.self))
        default: return json()
        }
    }

    /// The data with some of its bytes replaced, removed, doubled or cut off.
    public mutating func damaged(_ data: Data) -> Data {
        var bytes = Array(data)
        for _ in 0..<number(in: 1...4) where !bytes.isEmpty {
            let index = number(in: 0...bytes.count - 1)
            switch number(in: 0...4) {
            case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes[index] ^= 1 << UInt8(number(in: 0...7))
            case 2: bytes.remove(at: index)
            case 3: bytes.removeSubrange(index...)
            default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + number(in: 1...8))], at: index)
            }
        }
        return Data(bytes)
    }

    /// The value as JSON with a part of it damaged: mostly its values, sometimes its bytes.
    public mutating func damaged(_ value: some Encodable) throws -> Data {
        let data = try WireJSON.encode(value)
        if chance(8) { return damaged(data) }
        // The writer refuses a value that JSON cannot express; such a value is no input.
        return try WireJSON.encode(damaged(try WireJSON.decode(JSONValue.self, from: data)))
    }
}

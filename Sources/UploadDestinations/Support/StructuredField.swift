/// A parser for the structured fields (RFC 9651) that this module needs: items and dictionaries of integers and booleans. Other valid
/// values are only recognized as such.
enum StructuredField: Hashable, Sendable {
    case integer(Int64)
    case boolean(Bool)
    case other

    /// A field of one item (section 3.3), without its parameters; nil for anything else.
    static func item(_ text: String) -> StructuredField? {
        var parser = Parser(text)
        parser.skipSpaces()
        guard let item = parser.item() else { return nil }
        parser.skipSpaces()
        return parser.isAtEnd ? item : nil
    }

    /// A dictionary (section 3.2); nil for anything else. If a key occurs twice, the last value counts.
    /// - Parameter lines: the field's lines in their order.
    static func dictionary(_ lines: [String]) -> [String: StructuredField]? {
        var parser = Parser(lines.joined(separator: ","))
        var members: [String: StructuredField] = [:]
        parser.skipSpaces()
        while !parser.isAtEnd {
            guard let key = parser.key() else { return nil }
            if parser.take("=") {
                guard let value = parser.item() else { return nil }
                members[key] = value
            } else {
                guard parser.parameters() else { return nil }
                members[key] = .boolean(true)
            }
            parser.skipSpaces()
            guard !parser.isAtEnd else { break }
            guard parser.take(",") else { return nil }
            parser.skipSpaces()
            // A comma must not be at the end.
            if parser.isAtEnd { return nil }
        }
        return members
    }

    private struct Parser {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = text[...].utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skipSpaces() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        private mutating func run(_ isWanted: (UInt8) -> Bool) -> String {
            let taken = rest.prefix(while: isWanted)
            rest = rest.dropFirst(taken.count)
            return String(decoding: taken, as: UTF8.self)
        }

        mutating func key() -> String? {
            guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
            return run { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
        }

        /// An item; its parameters are skipped. An inner list counts as `other`.
        mutating func item(isInList: Bool = false) -> StructuredField? {
            guard let value = bare(isInList: isInList), parameters() else { return nil }
            return value
        }

        mutating func parameters() -> Bool {
            while take(";") {
                skipSpaces()
                guard key() != nil else { return false }
                if take("="), bare() == nil { return false }
            }
            return true
        }

        /// - Parameter isInList: inner lists hold no lists (section 3.1.1). Without this rule a field of nothing but brackets would
        ///   exhaust the stack.
        private mutating func bare(isInList: Bool = false) -> StructuredField? {
            guard let first = rest.first else { return nil }
            switch first {
            case UInt8(ascii: "?"):
                rest = rest.dropFirst()
                if take("1") { return .boolean(true) }
                return take("0") ? .boolean(false) : nil
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = run { Self.isDigit($0) || "-.".utf8.contains($0) }
                if number.contains(".") { return Double(number) == nil ? nil : .other }
                // Section 3.3.1: fifteen digits.
                guard let integer = Int64(number), integer.magnitude < 1_000_000_000_000_000 else { return nil }
                return .integer(integer)
            case UInt8(ascii: "\""): return quoted() ? .other : nil
            case UInt8(ascii: ":"):
                rest = rest.dropFirst()
                _ = run { $0 != UInt8(ascii: ":") }
                return take(":") ? .other : nil
            case UInt8(ascii: "(") where !isInList:
                rest = rest.dropFirst()
                skipSpaces()
                while !take(")") {
                    guard item(isInList: true) != nil else { return nil }
                    skipSpaces()
                }
                return .other
            default:
                return run { (0x21...0x7e).contains($0) && !",;=\"()".utf8.contains($0) }.isEmpty ? nil : .other
            }
        }

        private mutating func quoted() -> Bool {
            rest = rest.dropFirst()
            while let byte = rest.first {
                rest = rest.dropFirst()
                if byte == UInt8(ascii: "\"") { return true }
                if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            }
            return false
        }

        private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }
}

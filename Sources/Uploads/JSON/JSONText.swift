import Foundation

/// A JSON text (RFC 8259) in UTF-8, and its tokens in their order. A value is made of its bytes only when a caller asks
/// for it.
final class JSONText: Sendable {
    struct Token: Sendable {
        enum Kind: UInt8, Sendable { case null, yes, no, number, text, escapedText, list, object }

        var kind: Kind
        /// Its first byte and the one behind its last; of text without the quotes.
        var start: Int
        var end: Int
        /// The index of the token behind this one and all that is in it.
        var next: Int
    }

    /// The text is not JSON, or does not hold the requested value. Foundation's decoder then says what is wrong, and
    /// where.
    struct Unreadable: Error {}

    /// Twice as deep as any field of a message may nest (``WireLimits/depthMaximum``).
    static let depthMaximum = 64

    /// Members of an object. They are looked for one after the other; objects with more are left to Foundation's decoder, which makes a table of
    /// them.
    static let memberCountMaximum = 2048

    let bytes: [UInt8]
    let tokens: [Token]

    /// - Throws: `Unreadable`.
    init(_ data: Data) throws(Unreadable) {
        let bytes = Array(data)
        tokens = try bytes.withUnsafeBufferPointer { bytes throws(Unreadable) in
            var scan = JSONScan(bytes)
            try scan.run()
            return scan.tokens
        }
        guard bytes.reduce(0, |) < 0x80 || String(validating: bytes, as: UTF8.self) != nil else { throw Unreadable() }
        self.bytes = bytes
    }

    /// Whether arrays and objects nest at most ``depthMaximum`` deep; for bytes that are not JSON, whether their
    /// brackets do.
    static func isShallow(_ data: Data) -> Bool {
        var depth = 0
        var isText = false
        var isEscaped = false
        for byte in data {
            if isEscaped {
                isEscaped = false
            } else if isText {
                isEscaped = byte == UInt8(ascii: "\\")
                isText = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                if depth > depthMaximum { return false }
            }
        }
        return true
    }

    /// - Throws: `Unreadable` unless the token is text.
    func string(at index: Int) throws(Unreadable) -> String {
        let token = tokens[index]
        let raw = bytes[token.start..<token.end]
        switch token.kind {
        case .text: return String(decoding: raw, as: UTF8.self)
        case .escapedText: return String(decoding: try Self.unescaped(raw), as: UTF8.self)
        default: throw Unreadable()
        }
    }

    /// - Throws: `Unreadable` unless the token is a number without fraction and exponent that the type can hold.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) throws(Unreadable) -> Number {
        let token = tokens[index]
        guard token.kind == .number else { throw Unreadable() }
        let isNegative = bytes[token.start] == UInt8(ascii: "-")
        var number: Number = 0
        for byte in bytes[(token.start + (isNegative ? 1 : 0))..<token.end] {
            guard let digit = Number(exactly: byte &- UInt8(ascii: "0")), digit < 10 else { throw Unreadable() }
            let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) =
                isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { throw Unreadable() }
            number = sum
        }
        return number
    }

    /// - Throws: `Unreadable` unless the token is a number that is finite.
    func number(at index: Int) throws(Unreadable) -> Double {
        let token = tokens[index]
        guard token.kind == .number,
            let number = Double(String(decoding: bytes[token.start..<token.end], as: UTF8.self)),
            number.isFinite
        else { throw Unreadable() }
        return number
    }

    /// - Throws: `Unreadable` unless the token is `true` or `false`.
    func bool(at index: Int) throws(Unreadable) -> Bool {
        switch tokens[index].kind {
        case .yes: return true
        case .no: return false
        default: throw Unreadable()
        }
    }

    /// - Throws: `Unreadable` for a number that is no integer, and for text that is no Unicode (half of a surrogate
    ///   pair).
    func value(at index: Int) throws(Unreadable) -> JSONValue {
        switch tokens[index].kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .number: return .integer(try integer(Int64.self, at: index))
        case .text, .escapedText: return .string(try string(at: index))
        case .list:
            var list: [JSONValue] = []
            var element = index + 1
            while element < tokens[index].next {
                list.append(try value(at: element))
                element = tokens[element].next
            }
            return .array(list)
        case .object: return .object(try members(at: index) { _ in true })
        }
    }

    /// The wanted members of an object; of several with one name the first.
    /// - Throws: as `value`, and unless the token is an object.
    func members(at index: Int, where isWanted: (String) -> Bool) throws(Unreadable) -> [String: JSONValue] {
        guard tokens[index].kind == .object else { throw Unreadable() }
        var members: [String: JSONValue] = [:]
        var name = index + 1
        while name < tokens[index].next {
            let key = try string(at: name)
            if isWanted(key), members[key] == nil { members[key] = try value(at: name + 1) }
            name = tokens[name + 1].next
        }
        return members
    }

    /// The value of an object's member; of several with that name the first.
    func member(_ name: String, of object: Int) -> Int? {
        var wanted = name
        return wanted.withUTF8 { wanted in
            tokens.withUnsafeBufferPointer { tokens in
                bytes.withUnsafeBufferPointer { bytes in
                    var index = object + 1
                    while index < tokens[object].next {
                        let token = tokens[index]
                        if token.kind == .text {
                            if token.end - token.start == wanted.count,
                                wanted.isEmpty
                                    || memcmp(bytes.baseAddress! + token.start, wanted.baseAddress!, wanted.count) == 0
                            {
                                return index + 1
                            }
                        } else if (try? string(at: index))?.isExactly(name) == true {
                            return index + 1
                        }
                        index = tokens[index + 1].next
                    }
                    return nil
                }
            }
        }
    }

    /// Whether every member of an object has one of these names, none of them empty. Takes one pass where the members come in the
    /// order of the names.
    /// - Returns: false also for a name with an escape sequence, which is not compared.
    func hasOnly(_ names: [String], of object: Int) -> Bool {
        tokens.withUnsafeBufferPointer { tokens in
            bytes.withUnsafeBufferPointer { bytes in
                var place = 0
                var index = object + 1
                while index < tokens[object].next {
                    let token = tokens[index]
                    guard token.kind == .text else { return false }
                    let name = UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])
                    var left = names.count
                    while left > 0, !Self.isEqual(names[place], name) {
                        place = place + 1 == names.count ? 0 : place + 1
                        left -= 1
                    }
                    guard left > 0 else { return false }
                    index = tokens[index + 1].next
                }
                return true
            }
        }
    }

    private static func isEqual(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.utf8.count == bytes.count, let start = bytes.baseAddress else { return false }
        var text = text
        return text.withUTF8 { memcmp(start, $0.baseAddress!, $0.count) == 0 }
    }

    private static func unescaped(_ raw: ArraySlice<UInt8>) throws(Unreadable) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "b"): bytes.append(8)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "f"): bytes.append(12)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "u"): bytes += Unicode.UTF8.encode(try scalar(&rest))!
            default: throw Unreadable()
            }
        }
        return bytes
    }

    /// The character whose digits follow `\u`, with a second `\u` for a surrogate pair (RFC 8259, section 7).
    private static func scalar(_ rest: inout ArraySlice<UInt8>) throws(Unreadable) -> Unicode.Scalar {
        let high = try codeUnit(&rest)
        var value = UInt32(high)
        if UTF16.isLeadSurrogate(high) {
            guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else {
                throw Unreadable()
            }
            let low = try codeUnit(&rest)
            guard UTF16.isTrailSurrogate(low) else { throw Unreadable() }
            value = 0x1_0000 + (UInt32(high) & 0x3ff) << 10 + UInt32(low) & 0x3ff
        }
        guard let scalar = Unicode.Scalar(value) else { throw Unreadable() }
        return scalar
    }

    private static func codeUnit(_ rest: inout ArraySlice<UInt8>) throws(Unreadable) -> UInt16 {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard digits.count == 4, digits.allSatisfy({ isxdigit(Int32($0)) != 0 }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Unreadable() }
        return unit
    }
}

/// Finds the tokens of a JSON text (RFC 8259).
struct JSONScan {
    typealias Unreadable = JSONText.Unreadable

    private(set) var tokens: [JSONText.Token] = []
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 12 + 4)
    }

    mutating func run() throws(Unreadable) {
        skipSpace()
        try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw Unreadable() }
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Unreadable) {
        switch byte {
        case UInt8(ascii: "\""): try text()
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try list(depth: depth + 1)
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
    }

    private mutating func add(_ kind: JSONText.Token.Kind, _ start: Int) {
        tokens.append(JSONText.Token(kind: kind, start: start, end: position, next: tokens.count + 1))
    }

    private mutating func word(_ word: StaticString, _ kind: JSONText.Token.Kind) throws(Unreadable) {
        let start = position
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes.count - start >= expected.count, bytes[start..<start + expected.count].elementsEqual(expected)
        else {
            throw Unreadable()
        }
        position += expected.count
        add(kind, start)
    }

    private mutating func text() throws(Unreadable) {
        let start = position + 1
        var end = JSONPlainBytes.end(in: bytes, from: start)
        var isEscaped = false
        while end < bytes.count, bytes[end] == UInt8(ascii: "\\") {
            isEscaped = true
            end = JSONPlainBytes.end(in: bytes, from: end + 2)
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { throw Unreadable() }
        position = end
        add(isEscaped ? .escapedText : .text, start)
        position += 1
    }

    /// RFC 8259, section 6.
    private mutating func number() throws(Unreadable) {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        add(.number, start)
    }

    private mutating func digits() throws(Unreadable) {
        let start = position
        while let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw Unreadable() }
    }

    private mutating func list(depth: Int) throws(Unreadable) {
        try group(.list, end: UInt8(ascii: "]"), depth: depth) { scan throws(Unreadable) in
            try scan.value(depth: depth)
        }
    }

    private mutating func object(depth: Int) throws(Unreadable) {
        try group(.object, end: UInt8(ascii: "}"), depth: depth) { scan throws(Unreadable) in
            guard scan.byte == UInt8(ascii: "\"") else { throw Unreadable() }
            try scan.text()
            scan.skipSpace()
            guard scan.take(UInt8(ascii: ":")) else { throw Unreadable() }
            scan.skipSpace()
            try scan.value(depth: depth)
        }
    }

    private mutating func group(
        _ kind: JSONText.Token.Kind, end: UInt8, depth: Int, _ member: (inout JSONScan) throws(Unreadable) -> Void
    ) throws(Unreadable) {
        guard depth <= JSONText.depthMaximum else { throw Unreadable() }
        let index = tokens.count
        add(kind, position)
        position += 1
        skipSpace()
        if !take(end) {
            var count = 0
            repeat {
                count += 1
                guard kind == .list || count <= JSONText.memberCountMaximum else { throw Unreadable() }
                skipSpace()
                try member(&self)
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(end) else { throw Unreadable() }
        }
        tokens[index].end = position
        tokens[index].next = tokens.count
    }
}

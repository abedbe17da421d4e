public import Foundation

extension WireJSON {
    /// Cuts a JSON list into the texts of its elements, without looking at what these say: so one that cannot be read leaves the others
    /// readable.
    /// - Returns: nil unless the bytes are one list, as far as its brackets and quotes tell, of at most that many elements.
    public static func elements(of list: Data, atMost maximum: Int) -> [Data]? {
        var elements: [Data] = []
        var depth = 0
        var isText = false
        var isEscaped = false
        var start = list.startIndex
        var hasEnded = false
        for (index, byte) in zip(list.indices, list) {
            if isEscaped {
                isEscaped = false
            } else if isText {
                isEscaped = byte == UInt8(ascii: "\\")
                isText = byte != UInt8(ascii: "\"")
            } else if isSpace(byte) {
                continue
            } else if depth == 0 {
                guard byte == UInt8(ascii: "["), !hasEnded else { return nil }
                depth = 1
                start = index + 1
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                let isLast = depth == 0
                guard isLast || (depth == 1 && byte == UInt8(ascii: ",")) else { continue }
                hasEnded = isLast
                let element = trimmed(list[start..<index])
                // An empty list has no element, and no comma either.
                if isLast, elements.isEmpty, element.isEmpty { continue }
                guard elements.count < maximum else { return nil }
                elements.append(Data(element))
                start = index + 1
            }
        }
        return hasEnded ? elements : nil
    }

    private static func trimmed(_ text: Data) -> Data {
        let rest = text.drop(while: isSpace)
        return rest.last.map(isSpace) == true ? rest.prefix(upTo: rest.lastIndex { !isSpace($0) }! + 1) : rest
    }

    /// The white space of JSON (RFC 8259, section 2).
    private static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}

/// A text that names something: compared, hashed and sorted by its UTF-8 bytes. To Swift's `String` two spellings of a
/// letter (é as one code point, or as e and an accent) are equal; to file systems, servers and databases they are not.
public struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.text = text }

    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // 0xFF is no byte of UTF-8 and marks the text's end for the hasher.
        hasher.combine(0xFF as UInt8)
    }
}

/// Names of files and keys are bytes: to Swift a slash and a combining mark behind it are one character, and two
/// spellings of a letter are equal; to file systems and servers they are not. See also ``ExactText``.
extension String {
    /// The pieces between its slashes, empty ones included.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// The last of these pieces that is not empty; empty where there is none.
    package var lastPathComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }

    /// The text before the first `://`, in lower case; nil where there is none.
    package var urlScheme: String? {
        utf8.firstRange(of: "://".utf8).map { self[..<$0.lowerBound].lowercased() }
    }

    /// Whether it has the same bytes.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    package func hasBytePrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    package func hasByteSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// The text before the first of these ASCII characters; all of it where there is none.
    package func bytePrefix(upTo ends: Unicode.Scalar...) -> String {
        let ends = ends.map { UInt8(ascii: $0) }
        return String(Substring(utf8.prefix { !ends.contains($0) }))
    }

    /// The text with other code points in place of some, also where a combining mark follows these.
    package func replacing(exactly text: String, with other: String) -> String {
        String(unicodeScalars.replacing(text.unicodeScalars, with: other.unicodeScalars))
    }

    /// The text without its first `count` bytes, which must end with a whole code point.
    package func dropping(bytes count: Int) -> String { String(Substring(utf8.dropFirst(count))) }
}

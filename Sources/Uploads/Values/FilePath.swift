/// The path of a file, as its bytes. Linux lets a name have any bytes but `/` and NUL, so that a path need not be text.
///
/// As text, a name of a path that is UTF-8 is unchanged. In a name that is not UTF-8, and only there, each byte that
/// belongs to no UTF-8 character is written `%FF`, in upper-case hexadecimal, and a `%` is written `%25`: two different
/// names of one directory that are not UTF-8 have different texts. Keys are made of this text.
public struct FilePath: Hashable, Sendable {
    /// The longest path that Linux opens, in bytes (`PATH_MAX` without its NUL).
    public static let bytesMaximum = 4095

    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    public init(_ text: String) { bytes = Array(text.utf8) }

    /// The path as it is; nil when it is not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }

    /// Whether it begins at the root.
    public var isAbsolute: Bool { bytes.first == Self.slash }

    /// The last name in it; empty where there is none.
    public var lastName: FilePath { FilePath(bytes: bytes.split(separator: Self.slash).last ?? []) }

    /// The path of a name, or of a path, below this one.
    public func appending(_ name: some Sequence<UInt8>) -> FilePath {
        FilePath(bytes: bytes + (bytes.isEmpty || bytes.last == Self.slash ? [] : [Self.slash]) + Array(name))
    }

    /// Whether it is below a directory. Both are resolved: without links, `.` and `..`.
    public func isBelow(_ directory: FilePath) -> Bool {
        directory.bytes == [Self.slash] || bytes.starts(with: directory.bytes + [Self.slash])
    }

    private static let slash = UInt8(ascii: "/")
}

extension FilePath: CustomStringConvertible {
    /// The text of the path: equal to ``exactText`` where that is not nil.
    public var description: String {
        if let exactText { return exactText }
        return bytes.split(separator: Self.slash, omittingEmptySubsequences: false).map(Self.text(of:))
            .joined(separator: "/")
    }

    /// The text of one name.
    private static func text(of name: ArraySlice<UInt8>) -> String {
        if let text = String(validating: name, as: UTF8.self) { return text }
        var text: [UInt8] = []
        var rest = name
        var parser = Unicode.UTF8.ForwardParser()
        var reader = name.makeIterator()
        while true {
            switch parser.parseScalar(from: &reader) {
            case .valid(let scalar):
                let count = scalar.count
                if rest.first == UInt8(ascii: "%") {
                    text += escape(UInt8(ascii: "%"))
                } else {
                    text += rest.prefix(count)
                }
                rest = rest.dropFirst(count)
            case .error(let count):
                for byte in rest.prefix(count) { text += escape(byte) }
                rest = rest.dropFirst(count)
            case .emptyInput:
                return String(decoding: text, as: UTF8.self)
            }
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension FilePath: Comparable {
    /// Compares by bytes.
    public static func < (left: FilePath, right: FilePath) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension FilePath: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

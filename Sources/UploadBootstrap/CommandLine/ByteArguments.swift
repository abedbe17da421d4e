public import ArgumentParser
public import Uploads

/// The program's arguments as texts that still contain their exact bytes. `CommandLine.arguments` replaces bytes that are not UTF-8, so
/// that such an argument names another file.
///
/// A UTF-8 argument is its own text. In any other argument, each byte that belongs to no UTF-8 character becomes one of the private-use
/// characters U+10FF00 to U+10FFFF. The bytes of such a character in an argument become these characters too, so that an argument that
/// contains one is escaped as well.
public enum ByteArguments {
    /// The process's arguments without the first ones.
    public static func all(after skipped: Int) -> [String] {
        (0..<Int(CommandLine.argc)).dropFirst(skipped).compactMap { place in
            CommandLine.unsafeArgv[place].map { argument in
                var bytes: [UInt8] = []
                var next = argument
                while next.pointee != 0 {
                    bytes.append(UInt8(bitPattern: next.pointee))
                    next += 1
                }
                return text(of: bytes)
            }
        }
    }

    static func text(of bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
        var text = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        var parser = Unicode.UTF8.ForwardParser()
        var reader = rest.makeIterator()
        while true {
            switch parser.parseScalar(from: &reader) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if marks.contains(scalar) {
                    text.append(contentsOf: rest.prefix(encoded.count).map(mark))
                } else {
                    text.append(scalar)
                }
                rest = rest.dropFirst(encoded.count)
            case .error(let count):
                text.append(contentsOf: rest.prefix(count).map(mark))
                rest = rest.dropFirst(count)
            case .emptyInput: return String(text)
            }
        }
    }

    static func bytes(of text: String) -> [UInt8] {
        guard isEscaped(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            marks.contains(scalar) ? [UInt8(scalar.value & 0xFF)] : Array(String(scalar).utf8)
        }
    }

    /// Whether the text is escaped: it represents other bytes than its own.
    public static func isEscaped(_ text: String) -> Bool { text.unicodeScalars.contains(where: marks.contains) }

    /// Whether the argument that names this path is escaped.
    public static func escapes(_ path: FilePath) -> Bool { isEscaped(text(of: path.bytes)) }

    private static let marks: ClosedRange<Unicode.Scalar> = "\u{10FF00}"..."\u{10FFFF}"

    private static func mark(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
    }
}

extension FilePath: ExpressibleByArgument {
    /// - Parameter argument: a text that ``ByteArguments`` made.
    public init?(argument: String) { self.init(bytes: ByteArguments.bytes(of: argument)) }
}

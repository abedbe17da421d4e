public import ArgumentParser
public import Uploads

/// The arguments of the program as text from which their bytes can be had again. `CommandLine.arguments` repairs bytes that are not UTF-8,
/// and then names another file.
///
/// An argument that is UTF-8 is its own text. In any other each byte that belongs to no UTF-8 character becomes one of the private-use
/// characters U+10FF00 to U+10FFFF. So do the bytes of such characters themselves, which makes an argument that has them one of these, too.
public enum ByteArguments {
    /// Those behind the program's name.
    public static var all: [String] {
        (0..<Int(CommandLine.argc)).dropFirst().compactMap { place in
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

    /// Whether it stands for other bytes than its own.
    public static func isEscaped(_ text: String) -> Bool { text.unicodeScalars.contains(where: marks.contains) }

    /// Whether the argument that names this path is escaped.
    public static func escapes(_ path: FilePath) -> Bool { isEscaped(text(of: path.bytes)) }

    private static let marks: ClosedRange<Unicode.Scalar> = "\u{10FF00}"..."\u{10FFFF}"

    private static func mark(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
    }
}

extension FilePath: ExpressibleByArgument {
    /// - Parameter argument: one of ``ByteArguments``.
    public init?(argument: String) { self.init(bytes: ByteArguments.bytes(of: argument)) }
}

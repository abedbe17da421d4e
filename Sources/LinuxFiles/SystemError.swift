import Glibc

/// A system call that failed: its errno, its name (which is also the name of its manual page), and its file.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public let number: CInt
    /// The call, by the name of its manual page: `open`, `pwrite`.
    public let call: String
    /// The file or directory.
    public let path: String

    /// - Parameter number: nil takes the thread's errno, right after the call.
    public init(_ number: CInt? = nil, call: String, path: String) {
        self.number = number ?? errno
        self.call = call
        self.path = path
    }

    /// The system's text for the number: "No such file or directory".
    public var reason: String {
        var text = [CChar](repeating: 0, count: 256)
        guard strerror_r(number, &text, text.count) == 0 else { return "errno \(number)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    public var description: String { "\(path): \(reason) (\(call))" }
}

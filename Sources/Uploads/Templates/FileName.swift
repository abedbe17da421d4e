/// The last component of a path, with its stem and its extension.
public struct FileName: Hashable, Sendable {
    /// The name with its extension.
    public let name: String

    /// - Parameter path: with `/` between its components.
    public init(path: String) {
        name = path.lastPathComponent
    }

    /// The name without its extension. A dot at its beginning begins no extension.
    public var stem: String { dot.map { String(name[..<$0]) } ?? name }

    /// The extension without its dot; empty for a name that has none.
    public var ext: String { dot.map { String(name[name.utf8.index(after: $0)...]) } ?? "" }

    private var dot: String.Index? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return dot
    }
}

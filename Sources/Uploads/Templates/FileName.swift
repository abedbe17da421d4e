/// The last component of a path and what it is made of.
public struct FileName: Hashable, Sendable {
    /// With its extension.
    public let name: String

    /// - Parameter path: with `/` between its components.
    public init(path: String) {
        name = path.lastPathComponent
    }

    /// Without its extension. A dot at the beginning begins none.
    public var stem: String { dot.map { String(name[..<$0]) } ?? name }

    /// Without its dot; empty for a name that has none.
    public var ext: String { dot.map { String(name[name.utf8.index(after: $0)...]) } ?? "" }

    private var dot: String.Index? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return dot
    }
}

/// A delegate as the configuration names it.
public struct DelegateSettings: Hashable, Sendable {
    /// The kinds that this version has.
    static let kinds = ["webhook", "log"]

    public enum Kind: Hashable, Sendable {
        case webhook(url: String, secrets: [Secret])
        /// `rotateBytes`: nil for the usual size.
        case log(path: String, rotateBytes: Int64?)
    }

    public var name: String
    public var kind: Kind
    /// `completed`, `failed`, `cancelled`; empty is all.
    public var types: [String]

    /// - Throws: `configuration` for a key that is missing or belongs to another kind.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let base = "delegates.\(name)"
        self.name = name
        types = settings.list("\(base).types")
        switch try settings.owned(base, by: "kind", words: Self.kinds) {
        case "log":
            kind = .log(
                path: try settings.needed("\(base).path", settings.path),
                rotateBytes: settings.bytes("\(base).rotateBytes"))
        default:
            kind = .webhook(
                url: try settings.needed("\(base).url", settings.text), secrets: settings.secrets("\(base).secret"))
        }
    }
}

/// What `uploadctl destination test` does.
public struct TrialRequest: Hashable, Sendable {
    /// The destination as the user named it.
    public var name: String
    /// Where a small file is written that stays; nil: nothing stays.
    public var key: String?
    /// What the keys of everything else begin with that is written, and that does not stay.
    public var prefix: String
    public var printsJSON: Bool

    public init(name: String, key: String? = nil, prefix: String = "", printsJSON: Bool = false) {
        self.name = name
        self.key = key
        self.prefix = prefix
        self.printsJSON = printsJSON
    }
}

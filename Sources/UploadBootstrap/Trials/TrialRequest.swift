/// What `uploadctl destination test` does.
public struct TrialRequest: Hashable, Sendable {
    /// The destination as the user named it.
    public var name: String
    /// Where a small file is written that stays; nil: nothing stays.
    public var key: String?
    public var printsJSON: Bool

    public init(name: String, key: String? = nil, printsJSON: Bool = false) {
        self.name = name
        self.key = key
        self.printsJSON = printsJSON
    }
}

/// A request of `uploadctl destination test`.
public struct TrialRequest: Hashable, Sendable {
    /// The destination as the user named it.
    public var name: String
    /// The key of a small file that the trial writes and leaves there; nil: the trial leaves nothing.
    public var key: String?
    /// The prefix of every other key that the trial writes; it removes these objects again.
    public var prefix: String
    public var format: OutputFormat

    public init(name: String, key: String? = nil, prefix: String = "", format: OutputFormat = .table) {
        self.name = name
        self.key = key
        self.prefix = prefix
        self.format = format
    }
}

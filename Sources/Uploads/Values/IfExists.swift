/// What a job does with an object that is not its own and that the destination already has.
public enum IfExists: String, CaseIterable, Sendable {
    /// It is replaced, unless a newer job stored it.
    case replace
    /// It is kept, and the job completes with it: ``StoredObject/isKept``.
    case skip
    /// It is kept, and the job fails with `preconditionFailed`.
    case fail
    /// It is kept, and the job goes beside it, under a name that is free: ``UploadJob/renamed``.
    case rename
}

extension IfExists: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let value = Self(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "ifExists is 'replace', 'skip', 'fail' or 'rename', not '\(word)'")
        }
        self = value
    }
}

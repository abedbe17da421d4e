/// Names of files and keys are bytes: to Swift a slash and a combining mark behind it are one character, and two spellings of a letter are
/// equal, which no file system and no server sees so.
extension String {
    /// What its slashes part, empty pieces included.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    package func hasBytePrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

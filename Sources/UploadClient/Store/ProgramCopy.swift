import Uploads

/// A staged copy that a program is making and that no upload's record names yet.
struct ProgramCopy: Hashable, Sendable {
    /// The copy's name in the staging area.
    let name: String
    /// The upload under whose idempotency key the copy may be registered.
    let keyed: JobID?

    init(name: String, keyed: JobID?) {
        self.name = name
        self.keyed = keyed
    }

    /// The copy as a line of the program's file.
    var line: String { keyed.map { "\(name) \($0)" } ?? name }

    /// - Returns: nil for a line that names no copy.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard let name = words.first.flatMap({ JobID(String($0)) }) else { return nil }
        self.name = name.rawValue
        keyed = words.count > 1 ? JobID(String(words[1])) : nil
    }
}

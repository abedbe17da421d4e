/// Words of a command line that people copy into a shell.
public enum ShellWord {
    /// The characters that no shell reads as anything but themselves.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+,".utf8)

    /// The word as a shell reads it: in single quotes, unless it needs none.
    public static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains)
        return isPlain ? word : "'\(word.replacing(exactly: "'", with: "'\\''"))'"
    }
}

import CVersion

/// What the programs say of themselves.
public enum ProgramVersion {
    /// The version of the programs and the library; the page *Changes* says what each one brought.
    public static let number = "0.3.0"

    /// The commit that the programs were built of, with a plus sign where files had been changed since; nil where that is not known.
    public static var commit: String? {
        let text = String(cString: longshore_commit())
        return text.isEmpty ? nil : text
    }

    /// The version of the Swift compiler.
    public static var swift: String {
        #if compiler(>=6.5)
        "6.5 or newer"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    /// The line of `--version`: `upload-worker 0.3.0 (commit 0123456789ab, Swift 6.3)`.
    public static func line(of program: String) -> String {
        "\(program) \(number) (\(commit.map { "commit \($0), " } ?? "")Swift \(swift))"
    }
}

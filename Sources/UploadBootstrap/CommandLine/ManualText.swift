import Foundation

/// Writes text in the language of mdoc(7).
enum ManualText {
    /// Text that is shown as it is: its backslashes, leading dots and quotes have no meaning of their own, and its hyphens and quotes stay
    /// those of ASCII, so that a command can be copied from the page.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\e"#
            case "-": escaped += #"\-"#
            case "'": escaped += #"\(aq"#
            case "\"": escaped += #"\(dq"#
            case "`": escaped += #"\(ga"#
            case "^": escaped += #"\(ha"#
            case "~": escaped += #"\(ti"#
            case _ where scalar.value > 126: escaped += String(format: "\\[u%04X]", scalar.value)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped.hasPrefix(".") ? #"\&"# + escaped : escaped
    }

    /// One argument of a macro.
    static func argument(_ text: String) -> String { text.contains(" ") ? "\"\(escaped(text))\"" : escaped(text) }

    /// Paragraphs that an empty line separates; indented lines are shown as they are.
    static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isLiteral = false
        var isNew = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let starts = line.hasPrefix("  ") || (isLiteral && line.hasPrefix(" "))
            if starts != isLiteral { lines.append(starts ? ".Bd -literal -offset indent" : ".Ed") }
            isLiteral = starts
            if line.isEmpty {
                isNew = !lines.isEmpty
            } else {
                if isNew, !isLiteral { lines.append(".Pp") }
                isNew = false
                lines += isLiteral ? [escaped(String(line.dropFirst(2)))] : sentences(String(line)).map(escaped)
            }
        }
        return lines + (isLiteral ? [".Ed"] : [])
    }

    /// A sentence begins on a line of its own, from which mdoc(7) knows the end of the one before.
    private static func sentences(_ line: String) -> [String] {
        line.replacing(/([.!?]) +/) { "\($0.1)\n" }.split(separator: "\n").map(String.init)
    }

    /// Lines that are shown as they are.
    static func literal(_ lines: [String]) -> [String] { [".Bd -literal"] + lines.map(escaped) + [".Ed"] }

    /// `November 28, 2026`
    static func date(_ date: Date) -> String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return "\(months[((parts.month ?? 1) - 1) % 12]) \(parts.day ?? 1), \(parts.year ?? 1970)"
    }
}

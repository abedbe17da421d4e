import Foundation

/// Makes text of other parties safe for a terminal, and measures, cuts and wraps it by terminal columns.
enum PlainText {
    /// The text with a replacement character for each character that steers a terminal or changes the text direction. Names and
    /// messages come from other parties.
    static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { safe.append(steers(scalar) ? "\u{FFFD}" : scalar) }
        return String(safe)
    }

    /// The text with each such character written as JSON writes it, `\u001b`; line ends and tabs stay. It suits whole
    /// outputs. In JSON output such a character can occur only inside a string, so the output stays valid.
    static func escaped(_ text: String) -> String {
        func mustEscape(_ scalar: Unicode.Scalar) -> Bool { scalar != "\n" && scalar != "\t" && steers(scalar) }
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if mustEscape(scalar) {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1 controls, line separators, and the marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9).
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The terminal columns that the text fills.
    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.value < 0x300 { return 1 }
        if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) {
            return 2
        }
        // The wide and full-width blocks of Unicode's East Asian Width (UAX #11).
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }

    /// The text cut to at most `columns` columns, with `…` in place of the removed part.
    /// - Parameter keepsEnd: removes the middle instead of the end, as suits paths.
    static func cut(_ text: String, to columns: Int, keepsEnd: Bool = false) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        guard keepsEnd, columns > 4 else { return prefix(text, columns - 1) + "…" }
        let end = (columns - 1) * 2 / 3
        let tail = String(prefix(String(text.reversed()), end).reversed())
        return prefix(text, columns - 1 - end) + "…" + tail
    }

    private static func prefix(_ text: String, _ columns: Int) -> String {
        var left = columns
        var taken = ""
        for character in text {
            left -= width(character)
            guard left >= 0 else { break }
            taken.append(character)
        }
        return taken
    }

    /// A name and, from a column on, its text, wrapped between words on a terminal.
    /// - Parameter width: the width of the terminal; nil does not wrap.
    static func hanging(_ name: String, _ text: String, column: Int, width: Int?) -> [String] {
        let parts = width.map { wrapped(text, to: max(20, $0 - column)) } ?? [text]
        let start = "  \(name)".padding(toLength: max(column, name.count + 4), withPad: " ", startingAt: 0)
        let indent = String(repeating: " ", count: column)
        return parts.enumerated().map { ($0.offset == 0 ? start : indent) + $0.element }
    }

    /// Lines of at most `columns` columns, wrapped between words; a longer word gets a line of its own.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if line.isEmpty {
                line = String(word)
            } else if width(line) + 1 + width(word) <= columns {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return lines + [line]
    }
}

/// A file in the format of `~/.aws/credentials` and `~/.aws/config` ("Shared config and credentials files", AWS SDKs and Tools Reference
/// Guide): sections, properties and comments. Nested properties are skipped: this driver needs none.
struct SharedConfigFile: Sendable {
    /// Properties of each profile, their names in lower case.
    private(set) var profiles: [String: [String: String]] = [:]

    /// - Parameter isConfig: whether profiles are called `[profile NAME]`; `[default]` has the same name in both files.
    init(_ text: String, isConfig: Bool) {
        var profile: String?
        // A line that is indented further than the property before it belongs to that property.
        var indentation: Int?
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmingPrefix { $0 == " " || $0 == "\t" }
            let indented = line.count - content.count
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                profile = Self.profile(content, isConfig: isConfig)
                indentation = nil
                if let profile { profiles[profile, default: [:]].merge([:]) { $1 } }
            } else if let profile, indented <= indentation ?? indented, let equals = content.firstIndex(of: "=") {
                indentation = indented
                let name = Self.trimmed(content[..<equals]).lowercased()
                profiles[profile, default: [:]][name] = Self.value(content[content.index(after: equals)...])
            }
        }
    }

    private static func profile(_ line: Substring, isConfig: Bool) -> String? {
        let words = line.dropFirst().prefix { $0 != "]" }.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.map(trimmed)
        func bare(_ name: String) -> String {
            guard let quote = name.first, quote == "\"" || quote == "'", name.count > 1, name.last == quote else {
                return name
            }
            return String(name.dropFirst().dropLast())
        }
        guard isConfig else { return words.isEmpty ? nil : bare(words.joined(separator: " ")) }
        if words.count == 2, words[0] == "profile" { return bare(words[1]) }
        return words == ["default"] ? "default" : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The value without a comment. A comment behind a value has white space before it.
    private static func value(_ text: Substring) -> String {
        var before: Character = " "
        for (index, character) in zip(text.indices, text) {
            if character == "#" || character == ";", before.isWhitespace { return trimmed(text[..<index]) }
            before = character
        }
        return trimmed(text)
    }
}

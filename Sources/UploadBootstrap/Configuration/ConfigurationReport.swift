/// What `--check-config` prints: the configuration as YAML that could be used as it stands but for the secrets, with
/// the place that every value came from as a comment.
struct ConfigurationReport {
    let settings: Settings

    var text: String {
        var lines = [settings.file.map { "# file: \($0)" } ?? "# no configuration file"]
        var open: [String] = []
        for (path, setting) in settings.values.sorted(by: { Self.order($0.key) < Self.order($1.key) }) {
            var components = path.split(separator: ".").map(String.init)
            guard let key = ConfigurationKey.find(components) else { continue }
            let name = components.removeLast()
            for (depth, section) in components.enumerated()
            where depth >= open.count || Array(open.prefix(depth + 1)) != Array(components.prefix(depth + 1)) {
                lines.append(Self.indent(depth) + section + ":")
                open = Array(components.prefix(depth + 1))
            }
            open = components
            lines.append(
                "\(Self.indent(components.count))\(name): \(Self.value(setting, key.kind))  # \(setting.origin)")
        }
        return (lines + settings.warnings.map { "# warning: \($0)" }).joined(separator: "\n")
    }

    /// In the order of the list of keys, names among themselves by the alphabet.
    private static func order(_ path: String) -> Order {
        let components = path.split(separator: ".").map(String.init)
        let index = ConfigurationKey.all.firstIndex { $0.matches(components) } ?? .max
        let first = ConfigurationKey.all.firstIndex { $0.components[0] == components[0] } ?? .max
        return Order(section: first, name: components.count > 2 ? components[1] : "", key: index, path: path)
    }

    private struct Order: Comparable {
        let section: Int
        let name: String
        let key: Int
        let path: String

        static func < (left: Self, right: Self) -> Bool {
            (left.section, left.name, left.key, left.path) < (right.section, right.name, right.key, right.path)
        }
    }

    private static func value(_ setting: Setting, _ kind: ValueKind) -> String {
        switch setting.value {
        case .text(let text): quoted(kind.shown(text))
        case .list(let items): "[" + items.map { quoted(kind.shown($0), inList: true) }.joined(separator: ", ") + "]"
        }
    }

    /// Quoted where YAML would read something else (YAML 1.2, sections 7.3.2 and 7.3.3).
    private static func quoted(_ text: String, inList: Bool = false) -> String {
        let isPlain =
            !text.isEmpty && !text.contains(": ") && !text.contains(" #") && !text.hasSuffix(":")
            && !"-?:,[]{}#&*!|>'\"%@` ".contains(text.prefix(1)) && !text.hasSuffix(" ")
            && !text.contains { $0.isNewline || (inList && "[]{},".contains($0)) }
        if isPlain { return text }
        let escaped = text.reduce(into: "") { result, letter in
            switch letter {
            case "\\", "\"": result += "\\\(letter)"
            case "\n": result += "\\n"
            default: result.append(letter)
            }
        }
        return "\"\(escaped)\""
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }
}

/// The text that `--check-config` prints: the configuration as YAML, with each value's origin as a comment. Apart from the hidden secrets it
/// can be used as a configuration file.
struct ConfigurationReport {
    let settings: Settings

    var text: String {
        var lines = [settings.file.map { "# file: \($0)" } ?? "# no configuration file"]
        var open: [String] = []
        for (order, setting) in ordered {
            var components = order.components
            let key = ConfigurationKey.all[order.key]
            let name = components.removeLast()
            for (depth, section) in components.enumerated()
            where depth >= open.count || Array(open.prefix(depth + 1)) != Array(components.prefix(depth + 1)) {
                lines.append(Self.indent(depth) + section + ":")
                open = Array(components.prefix(depth + 1))
            }
            open = components
            lines.append(
                "\(Self.indent(components.count))\(name): \(Self.value(setting, key.kind))  # \(setting.origin)"
                    + whole(setting, at: order.path, key.kind))
        }
        return (lines + settings.warnings.map { "# warning: \($0)" }).joined(separator: "\n")
    }

    /// The path that a relative one stands for.
    private func whole(_ setting: Setting, at path: String, _ kind: ValueKind) -> String {
        let paths =
            switch kind {
            case .path, .list(.path): settings.paths(path)
            case .staging: [settings.staging.text]
            case .pathOrURL: [settings.pathOrURL(path)].compactMap(\.self)
            default: setting.value.items
            }
        return paths == setting.value.items ? "" : ", which is \(paths.joined(separator: ", "))"
    }

    /// In the order of the list of keys; the names that the user gave in alphabetical order.
    private var ordered: [(order: Order, setting: Setting)] {
        let sections = Dictionary(
            ConfigurationKey.all.enumerated().map { ($1.components[0], $0) }, uniquingKeysWith: { first, _ in first })
        return settings.values.compactMap { path, setting in
            let components = path.split(separator: ".").map(String.init)
            // A staging area that is a directory takes its place.
            if path == "spool", settings.staging.directory != nil { return nil }
            guard let key = ConfigurationKey.tree.index(of: components), let section = sections[components[0]] else {
                return nil
            }
            let name = components.count > 2 ? components[1] : ""
            return (Order(section: section, name: name, key: key, path: path, components: components), setting)
        }.sorted { $0.order < $1.order }
    }

    private struct Order: Comparable {
        let section: Int
        let name: String
        /// The key's position in the list.
        let key: Int
        let path: String
        /// The path's parts between the dots.
        let components: [String]

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

    /// Quoted where YAML would read the plain text as another value (YAML 1.2, sections 7.3.2 and 7.3.3).
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

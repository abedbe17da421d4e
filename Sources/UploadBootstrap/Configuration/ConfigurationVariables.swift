import Uploads

/// The keys that variables of the environment set: `UPLOAD_DESTINATIONS_PHOTOS_BUCKET` sets `destinations.photos.bucket`.
struct ConfigurationVariables {
    /// A section in which the user gives names: `destinations`, `delegates`.
    private struct Section {
        let name: String
        /// `UPLOAD_DESTINATIONS_`
        let prefix: String
        /// The names by their spelling in a variable: `PHOTOS`.
        var names: [String: String] = [:]
        /// Key paths below a name by their spelling in a variable: `_BUCKET`.
        var ends: [String: [String]] = [:]
    }

    /// The end of the variable that adds a name to a section.
    private static let naming = ["destinations": "_DRIVER", "delegates": "_KIND", "tokens": "_ROLE"]

    /// Keys that hold no name of the user's, by their variable.
    private var fixed: [String: [String]] = [:]
    private var sections: [String: Section] = [:]

    /// - Parameters:
    ///   - variables: the variables' names. One that ends in `_DRIVER`, `_KIND` or `_ROLE` adds a destination, delegate or token that the
    ///     file does not have.
    ///   - names: the names in the file, by their section.
    init(_ variables: some Sequence<String>, names: [String: Set<String>]) {
        for key in ConfigurationKey.all {
            let components = key.components
            guard components.count > 2, components[1] == "*" else {
                if !components.contains("*") { fixed[ConfigurationKey.variable(components)] = components }
                continue
            }
            let rest = Array(components.dropFirst(2))
            guard !rest.contains("*") else { continue }
            let section = sections[components[0]]
            var known =
                section ?? Section(name: components[0], prefix: ConfigurationKey.variable([components[0]]) + "_")
            known.ends[Self.part(rest)] = rest
            sections[components[0]] = known
        }
        for section in sections.keys {
            for name in names[section] ?? [] { sections[section]?.names[Self.part([name]).dropping(bytes: 1)] = name }
        }
        for variable in variables {
            for (section, known) in sections where variable.hasBytePrefix(known.prefix) {
                guard let end = Self.naming[section], variable.hasByteSuffix(end),
                    known.prefix.utf8.count + end.utf8.count < variable.utf8.count
                else { continue }
                let rest = variable.utf8.dropFirst(known.prefix.utf8.count).dropLast(end.utf8.count)
                let part = String(Substring(rest))
                // A variable in another spelling, or of an invalid name, is not used.
                guard known.names[part] == nil, let name = try? DestinationName(part.lowercased()),
                    Self.part([name.rawValue]).dropping(bytes: 1) == part
                else { continue }
                sections[section]?.names[part] = name.rawValue
            }
        }
    }

    /// The components of the key's path; nil for a variable that sets no key.
    func path(of variable: String) -> [String]? {
        if let path = fixed[variable] { return path }
        for section in sections.values where variable.hasBytePrefix(section.prefix) {
            // The longest name first: with names `a` and `a-b`, `A_B_DRIVER` belongs to `a-b`.
            for place in Self.cuts(variable, behind: section.prefix).reversed() {
                if let name = section.names[place.name], let rest = section.ends[place.end] {
                    return [section.name, name] + rest
                }
            }
        }
        return nil
    }

    /// The known variable whose spelling is nearest.
    func nearest(to variable: String) -> String? {
        var candidates = Array(fixed.keys)
        if !sections.values.contains(where: { variable.hasBytePrefix($0.prefix) }) {
            // The user may have misspelt the section itself.
            for section in sections.values {
                for name in section.names.keys.sorted().prefix(100) {
                    candidates += section.ends.keys.map { section.prefix + name + $0 }
                }
            }
        }
        for section in sections.values where variable.hasBytePrefix(section.prefix) {
            for place in Self.cuts(variable, behind: section.prefix) {
                if section.names[place.name] != nil {
                    candidates += section.ends.keys.map { section.prefix + place.name + $0 }
                }
                if section.ends[place.end] != nil {
                    candidates += section.names.keys.map { section.prefix + $0 + place.end }
                }
            }
        }
        return EditDistance.nearest(to: variable, among: candidates)
    }

    /// All ways to cut the rest of a variable into a name and a key path below it, the shortest name first.
    private static func cuts(_ variable: String, behind prefix: String) -> [(name: String, end: String)] {
        let rest = variable.dropping(bytes: prefix.utf8.count)
        return rest.utf8.indices.filter { rest.utf8[$0] == UInt8(ascii: "_") }.map {
            (String(rest[..<$0]), String(rest[$0...]))
        }
    }

    /// The components as they are spelt in a variable, each behind an underscore.
    private static func part(_ components: [String]) -> String {
        ConfigurationKey.variable(components).dropping(bytes: "UPLOAD".utf8.count)
    }
}
